"""A forecast, and its score."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from bot.core.statement import Statement


class Verdict(StrEnum):
    """The trend of a queue without any action."""

    CLEARS = "clears"
    STALLED = "stalled"
    """Neither shrinking nor growing much."""
    GROWING = "growing"
    UNSAID = "unsaid"


@dataclass(frozen=True, slots=True)
class Forecast:
    """A forecast of a pool's queue, never of one job; the interval should be right in 4 of 5 cases."""

    at: float
    """Epoch seconds of its sample."""
    verdict: Verdict
    queued: int | None = None
    low_seconds: float | None = None
    mid_seconds: float | None = None
    high_seconds: float | None = None
    """From `at` until the queue reaches its floor; only if it clears."""
    reason: Statement | None = None
    """Why there is no forecast, or the basis of the verdict."""
    pool: str = ""


class LeftOut(StrEnum):
    """Why a forecast was not scored."""

    SCALED = "scaled"
    """Somebody changed the pool's capacity, so the forecast's condition no longer held."""
    UNSEEN = "unseen"
    """The drain was not measured."""
    WAITING = "waiting"
    """Closed by hand before the drain; the pool's record may have the outcome."""


@dataclass(frozen=True, slots=True)
class Score:
    """A forecast and its actual outcome, or why that is unknown."""

    forecast: Forecast
    actual_seconds: float
    """For an unscored forecast, a lower bound: the time until it was given up."""
    held: bool
    """Whether the interval was right; for stalled and growing: not empty for half an hour."""
    left_out: LeftOut | None = None

    @property
    def ratio(self) -> float | None:
        """Actual over forecast time, 1 is perfect; None if either is unknown."""
        foretold = self.forecast.mid_seconds
        return None if not foretold or self.left_out else self.actual_seconds / foretold


@dataclass(frozen=True, slots=True)
class FirstForecast:
    """The first forecast with a time, and the outcome; in fleet seconds."""

    made_at: float
    """Epoch seconds."""
    low_seconds: float
    high_seconds: float | None
    actual_seconds: float


@dataclass(frozen=True, slots=True)
class ScoreSummary:
    """The forecast scores of an incident in a few numbers."""

    held: int = 0
    """Forecasts of a time whose interval was right."""
    timed: int = 0
    """Scored forecasts of a time."""
    left_out: Mapping[LeftOut, int] = field(default_factory=dict)
    """Unscored forecasts of a time, by reason."""
    first: FirstForecast | None = None
    came_true: int = 0
    """Forecasts "stalled" or "growing" that were right."""
    stalled: int = 0
    """Number of such forecasts."""
