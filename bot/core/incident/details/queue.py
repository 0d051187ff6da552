"""Entries about the queue."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class QueueChanged:
    """The queue now, and at the last report, when it was much shorter or waited much less."""

    pool: str | None
    queued: int | None
    wait_seconds: float | None
    was_queued: int | None
    was_wait_seconds: float | None
    kind: Literal["queue_changed"] = "queue_changed"


@dataclass(frozen=True, slots=True)
class Spark:
    """One pool's queue so far as a sparkline."""

    pool: str
    bars: tuple[float | None, ...]
    """The maximum of equal parts of time."""
    begins_at: float
    ends_at: float
    first: float
    peak: float
    peak_at: float
    last: float
    longest_wait_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class ChartShown:
    """The queue so far; the worst pools first."""

    sparks: tuple[Spark, ...]
    more_pools: int = 0
    """Number of queueing pools without a sparkline."""
    kind: Literal["chart_shown"] = "chart_shown"
