"""The entry that closes an incident, with its summary."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from bot.core.forecast.outlook import ScoreSummary
from bot.core.incident.details.queue import Spark
from bot.core.incident.details.silences import ActiveSilence


class IncidentEnding(StrEnum):
    """How an incident ended."""

    DRAINED = "drained"
    SOURCE_BACK = "source_back"
    """The metric source answers again."""
    NOT_MEASURED = "not_measured"
    """The alert resolved, and no pool is configured for it."""
    CLOSED = "closed"
    """A person closed it."""


@dataclass(frozen=True, slots=True)
class LikelyCause:
    """The cause that was named most often for a pool."""

    pool: str
    cause: str
    samples: int
    """How often it was the likeliest."""
    of: int
    """How often any cause was known."""


@dataclass(frozen=True, slots=True)
class PoolPeak:
    """The worst that was seen of a pool."""

    pool: str
    queued: int
    wait_seconds: float | None


@dataclass(frozen=True, slots=True)
class Waited:
    """What one pool's queue cost."""

    pool: str
    hours: float
    """Developer-hours: each job that was seen to wait for an hour counts one; at least that many."""
    unmeasured: float
    """The part of the incident, 0 to 1, of which the queue is not known."""


@dataclass(frozen=True, slots=True)
class ClosingSummary:
    """An incident in a few figures, as they were at its end."""

    lasted_seconds: float
    causes: tuple[LikelyCause, ...] = ()
    peaks: tuple[PoolPeak, ...] = ()
    affected: int = 0
    """How many pools queued."""
    waited: tuple[Waited, ...] = ()
    acted: bool = False
    """Whether anybody scaled or silenced."""
    scores: ScoreSummary | None = None
    sparks: tuple[Spark, ...] = ()
    more_pools: int = 0
    """How many pools have a queue and no spark."""
    silences: tuple[ActiveSilence, ...] = ()
    """Those that hold at the end."""


@dataclass(frozen=True, slots=True)
class IncidentEnded:
    """The incident is over."""

    how: IncidentEnding
    summary: ClosingSummary
    pools: tuple[str, ...] = ()
    samples: int = 0
    """How many samples in a row showed an empty queue."""
    still_firing: bool = False
    kind: Literal["incident_ended"] = "incident_ended"
