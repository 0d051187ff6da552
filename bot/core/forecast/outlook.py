"""What was foretold of a queue, and how it came: a forecast, and the forecast compared with the truth."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from bot.core.statement import Statement


class Verdict(StrEnum):
    """Where a queue goes when nobody does anything."""

    CLEARS = "clears"
    STALLED = "stalled"
    """It neither shrinks nor grows much."""
    GROWING = "growing"
    UNSAID = "cannot say"


@dataclass(frozen=True, slots=True)
class Forecast:
    """A statement about a pool's queue, never about one job; the interval is meant to hold in 4 of 5 cases."""

    at: float
    """Epoch seconds of the sample that it was made from."""
    verdict: Verdict
    queued: int | None = None
    low_seconds: float | None = None
    mid_seconds: float | None = None
    high_seconds: float | None = None
    """From `at` until the queue is at its floor; only when it clears."""
    reason: Statement | None = None
    """Why nothing can be said, or what the verdict rests on."""
    pool: str = ""


class LeftOut(StrEnum):
    """Why a forecast was not compared with what came."""

    SCALED = "scaled"
    """Somebody changed the pool's capacity: it said what would come of itself."""
    UNSEEN = "unseen"
    """Nobody measured the pool when its queue drained."""
    WAITING = "waiting"
    """The incident was closed by hand before that; the pool's record may know more by now."""


@dataclass(frozen=True, slots=True)
class Score:
    """A forecast and what really came, or why that is not known."""

    forecast: Forecast
    actual_seconds: float
    """Of one that was left out: how long it was waited for, so the truth is at least that."""
    held: bool
    """The interval held the truth; for stalled and growing: the queue really was not empty for half an hour."""
    left_out: LeftOut | None = None

    @property
    def ratio(self) -> float | None:
        """Actual over foretold time, 1 is perfect; None when no time was foretold, or the truth is not known."""
        foretold = self.forecast.mid_seconds
        return None if not foretold or self.left_out else self.actual_seconds / foretold


@dataclass(frozen=True, slots=True)
class FirstForecast:
    """The first forecast that named a time, and what came; seconds of the pools' own time."""

    made_at: float
    """Epoch seconds."""
    low_seconds: float
    high_seconds: float | None
    actual_seconds: float


@dataclass(frozen=True, slots=True)
class ScoreSummary:
    """How the forecasts of an incident came out, in a few numbers."""

    held: int = 0
    """Forecasts of a time whose interval held the truth."""
    timed: int = 0
    """Forecasts of a time that were compared."""
    left_out: Mapping[LeftOut, int] = field(default_factory=dict)
    """Forecasts of a time that were not compared, by the reason."""
    first: FirstForecast | None = None
    came_true: int = 0
    """Forecasts that the queue stalls or grows which came true."""
    stalled: int = 0
    """How many there were."""
