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
    """The incident was closed by hand before; the pool's record may know more."""


@dataclass(frozen=True, slots=True)
class Score:
    """A forecast and its actual outcome, or why that is unknown."""

    forecast: Forecast
    actual_seconds: float
    """For an unscored forecast: how long it was waited for, a lower bound."""
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
