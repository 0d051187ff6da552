"""What somebody is told of a job that waits, runs or has ended: values and ids; `bot/views` has the words."""

from dataclasses import dataclass
from enum import StrEnum

from bot.core.finding import Finding
from bot.core.pool.outlook import Verdict
from bot.core.statement import Statement


class JobStanding(StrEnum):
    WAITING = "waiting"
    HELD = "held"
    """Kept back by an approval or a concurrency limit: it is in no queue."""
    RUNNING = "running"
    ENDED = "ended"
    UNSERVABLE = "unservable"
    """It waits, and no runner may take it as it is."""


@dataclass(frozen=True, slots=True)
class JobsAhead:
    """How many jobs are ahead in the queue, in 8 of 10 cases: providers are not strictly first-in-first-out."""

    low: int
    high: int


@dataclass(frozen=True, slots=True)
class JobStart:
    """When a job starts, in seconds from `at`; None: no such bound."""

    kind: Verdict
    at: float
    """Epoch seconds of the sample behind it."""
    low_seconds: float | None = None
    median_seconds: float | None = None
    high_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class JobAnswer:
    """One job. Times in epoch seconds; what is not known is None or empty."""

    id: str
    state: JobStanding
    at: float
    """When this was known."""
    url: str = ""
    name: str = ""
    """From outside; empty too where whoever asks may not know it."""
    repository: str = ""
    pool: str = ""
    """In whose queue it starts first; empty: none is known."""
    pools: tuple[str, ...] = ()
    """All pools whose runners take it."""
    queued_at: float | None = None
    started_at: float | None = None
    ended_at: float | None = None
    conclusion: str = ""
    """How it ended, in the provider's word."""
    ahead: JobsAhead | None = None
    start: JobStart | None = None
    usual_seconds: float | None = None
    """The usual length of such jobs."""
    cause: Finding | None = None
    """Why the pool's jobs wait."""
    incident: str = ""
    """The pool's open incident, if whoever asks may see its channel."""
    missing: tuple[str, ...] = ()
    """Labels that no runner of the pool carries, or of which no pool is known."""
    reason: Statement | None = None
    """Why something is not known."""


@dataclass(frozen=True, slots=True)
class JobsAnswer:
    """The jobs of an address, those that wait first."""

    jobs: tuple[JobAnswer, ...]
    sampled_at: float | None = None
    """When the oldest of the samples behind it was measured (epoch seconds); None: none was needed."""
