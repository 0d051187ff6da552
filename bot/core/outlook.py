"""What was foretold of a queue, and how it came: a forecast, and the forecast compared with the truth."""

from dataclasses import dataclass
from enum import StrEnum


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
    reason: str = ""
    """Why nothing can be said, or what the verdict rests on."""
    pool: str = ""


@dataclass(frozen=True, slots=True)
class Score:
    """A forecast and what really came."""

    forecast: Forecast
    actual_seconds: float
    held: bool
    """The interval held the truth; for stalled and growing: the queue really was not empty for half an hour."""

    @property
    def ratio(self) -> float | None:
        """Actual over foretold time, 1 is perfect; None when no time was foretold."""
        foretold = self.forecast.mid_seconds
        return None if not foretold else self.actual_seconds / foretold
