"""The entry that closes an incident, with its summary."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from bot.core.forecast.outlook import Score, ScoreSummary
from bot.core.incident.details.silences import ActiveSilence


class IncidentEnding(StrEnum):
    DRAINED = "drained"
    SOURCE_BACK = "source_back"
    """The metrics source is answering again."""
    NOT_MEASURED = "not_measured"
    """The alert resolved, and it has no configured pool."""
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class LikelyCause:
    pool: str
    cause: str
    samples: int
    of: int


@dataclass(frozen=True, slots=True)
class PoolPeak:
    pool: str
    queued: int
    wait_seconds: float | None


@dataclass(frozen=True, slots=True)
class Waited:
    pool: str
    hours: float
    """Developer-hours: a job that waits for an hour counts as one; a lower bound."""
    unmeasured: float
    """The unmeasured share of the incident, 0 to 1."""


@dataclass(frozen=True, slots=True)
class Counterfactual:
    """What the forecast said just before somebody added runners, against the actual end."""

    pool: str
    longer_seconds: float | None = None
    """How much longer the queue would have lasted, at least without `high`; None: the forecast saw no end of it."""
    low_seconds: float | None = None
    high_seconds: float | None = None
    """The forecast's interval, both against the actual end; it may lie before that."""
    helped: Score | None = None
    """The forecast with the extra runners, against what came; None if it is not known, or they were not alone."""


@dataclass(frozen=True, slots=True)
class RunnersAdded:
    """What one person's scale-ups of a pool came to."""

    who: str | None
    pool: str
    runners: int
    """Those that came, as far as known."""
    cost: float | None
    """Until they are returned, by the lease at the latest; None without a price."""
    currency: str = ""


@dataclass(frozen=True, slots=True)
class ClosingSummary:
    lasted_seconds: float
    causes: tuple[LikelyCause, ...] = ()
    peaks: tuple[PoolPeak, ...] = ()
    affected: int = 0
    waited: tuple[Waited, ...] = ()
    acted: bool = False
    """Whether anybody scaled a pool or silenced the alert."""
    scores: ScoreSummary | None = None
    silences: tuple[ActiveSilence, ...] = ()
    without: Counterfactual | None = None
    """None: nobody scaled, or no forecast had been made before."""
    added: tuple[RunnersAdded, ...] = ()


@dataclass(frozen=True, slots=True)
class IncidentEnded:
    how: IncidentEnding
    summary: ClosingSummary
    pools: tuple[str, ...] = ()
    samples: int = 0
    still_firing: bool = False
    kind: Literal["incident_ended"] = "incident_ended"
