"""A forecast, and its score."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from bot.core.statement import Statement


class Verdict(StrEnum):
    """The kind of a forecast of a queue without any action."""

    INTERVAL = "interval"
    AT_LEAST = "at_least"
    """Only the lower bound says something."""
    AT_MOST = "at_most"
    GROWING = "growing"
    """Even as usual it would not drain, and it gets longer."""
    STALLED = "stalled"
    """The same, and it stays about as long."""
    UNTIL_REPAIRED = "until_repaired"
    """As it is it never drains; the bounds hold if the trouble ends like past ones."""
    NONE = "none"

    @property
    def bounded(self) -> bool:
        """Whether its bounds can be compared with the truth."""
        return self in {Verdict.INTERVAL, Verdict.AT_LEAST, Verdict.AT_MOST, Verdict.UNTIL_REPAIRED}


@dataclass(frozen=True, slots=True)
class Forecast:
    """A forecast of a pool's queue, never of one job.

    Each bound should be right in 9 of 10 cases, an interval in 4 of 5.
    """

    at: float
    """Epoch seconds of its sample."""
    verdict: Verdict
    queued: int | None = None
    low_seconds: float | None = None
    mid_seconds: float | None = None
    high_seconds: float | None = None
    """From `at` until the queue has drained; None: no such bound."""
    reason: Statement | None = None
    """Why there is no forecast, or its basis."""
    pool: str = ""

    @property
    def bounds(self) -> tuple[float, float] | None:
        """(low, high) in seconds of an interval; None for other kinds."""
        known = self.verdict is Verdict.INTERVAL and self.low_seconds is not None and self.high_seconds is not None
        return (self.low_seconds or 0.0, self.high_seconds or 0.0) if known else None


@dataclass(frozen=True, slots=True)
class Calibration:
    """Factors on both bounds, from recent forecasts; 1 leaves them unchanged."""

    low: float
    high: float
    scored: int

    @property
    def widen(self) -> float:
        """The factor on each side of an interval, on average."""
        return math.sqrt(self.high / self.low)


UNCALIBRATED = Calibration(1.0, 1.0, 0)


@dataclass(frozen=True, slots=True)
class PooledCalibration:
    """What the forecasts of all pools have taught: every pool's calibration begins with it."""

    id: str
    """Always `all`."""
    known: Calibration = UNCALIBRATED


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
    """Whether its bounds were right; for stalled and growing: not drained for half an hour."""
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
