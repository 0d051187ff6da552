"""An early warning: its threshold, expected crossing, and outcome."""

from dataclasses import dataclass
from enum import StrEnum

KEY_PREFIX = "early/"
"""Prefix of the key of a warning's message."""


class Measure(StrEnum):
    WAIT = "wait"
    QUEUED = "queued"


@dataclass(frozen=True, slots=True)
class Threshold:
    """The threshold of a pool's alerts: seconds of the longest wait, or queued jobs."""

    measure: Measure
    value: float
    learnt_from: int = 0
    """Number of alerts it was learnt from; 0: configured."""


@dataclass(frozen=True, slots=True)
class Crossing:
    """When a threshold is expected to be crossed, in seconds from `at`."""

    threshold: Threshold
    at: float
    """Epoch seconds of its sample."""
    low_seconds: float
    mid_seconds: float
    high_seconds: float | None
    """Crossed by then even in the optimistic case; None: then not within the hour."""
    sure: bool = False
    """Whether it is sure enough for a warning."""


class Ending(StrEnum):
    FIRED = "fired"
    """An incident took over."""
    PASSED = "passed"
    """It passed by itself without a crossing."""
    AVERTED = "averted"
    """Somebody scaled the pool and there was no crossing; whether it was right is unknown."""
    EASED = "eased"
    """The threshold was crossed without an alert, and the pool is below it again."""
    EXPIRED = "expired"
    """Nothing happened for too long."""
    WITHDRAWN = "withdrawn"
    """Warnings were switched off, or the threshold is no longer known."""


@dataclass(frozen=True, slots=True)
class EarlyWarning:
    """One warning from start to end; times in epoch seconds."""

    began_at: float
    foreseen: Crossing
    """The expectation when the warning began."""
    expected: Crossing
    likely_at: float
    """When a crossing was last expected."""
    queued: int | None = None
    """Queued jobs when it began."""
    oldest_wait_seconds: float | None = None
    crossed_at: float | None = None
    ended_at: float | None = None
    ending: Ending | None = None
    incident: str = ""
    scaled_at: float | None = None
    """When somebody scaled the pool during the warning."""
    scaled_by: str = ""
    """Who that was (user id)."""


@dataclass(frozen=True, slots=True)
class WarningHistory:
    """A pool's warnings: the present or last one, and the outcomes of all."""

    current: EarlyWarning | None = None
    streak: int = 0
    """Samples in a row that were sure of a crossing, without a warning."""
    above: bool = False
    """Whether the threshold is crossed, or was and has not been left clearly."""
    hits: int = 0
    """Warnings followed by a crossing or an alert."""
    false: int = 0
    """Warnings followed by neither."""
    missed: int = 0
    """Crossings and alerts without a warning."""

    @property
    def standing(self) -> bool:
        """Whether there is a warning now."""
        return self.current is not None and self.current.ended_at is None


def warning_key(pool: str, began_at: float) -> str:
    """The key of a warning's message: its pool and start (epoch seconds)."""
    return f"{KEY_PREFIX}{pool}/{began_at:.3f}"


def warning_of(key: str) -> tuple[str, float] | None:
    """(pool, start of its warning) of a message's key; None for other messages."""
    pool, _, began_at = key.removeprefix(KEY_PREFIX).rpartition("/")
    if not key.startswith(KEY_PREFIX) or not pool:
        return None
    try:
        return pool, float(began_at)
    except ValueError:
        return None
