"""What an early warning is: its threshold, when that is expected to be crossed, and how warnings came out."""

from dataclasses import dataclass
from enum import StrEnum

MARK = "early/"
"""Begins the mark of the message that tells of a warning."""


class Measure(StrEnum):
    """What an alert watches."""

    WAIT = "wait"
    QUEUED = "queued"


@dataclass(frozen=True, slots=True)
class Threshold:
    """What alerts of a pool fire at; seconds of the oldest wait, or queued jobs."""

    measure: Measure
    value: float
    learnt_from: int = 0
    """How many alerts it was learnt from; 0: it is configured."""


@dataclass(frozen=True, slots=True)
class Crossing:
    """When a threshold is expected to be crossed, in seconds from `at`, by the fleet's own time (see `flow_of`)."""

    threshold: Threshold
    at: float
    """Epoch seconds of the sample that it was made from."""
    low_seconds: float
    mid_seconds: float
    high_seconds: float | None
    """Even when things go well it is crossed by then; None: when things go well it is not crossed within the hour."""
    sure: bool = False
    """Whether it is sure enough to warn of."""


class Ending(StrEnum):
    """How a warning ended."""

    FIRED = "fired"
    """An incident has taken it over."""
    PASSED = "passed"
    """It passed by itself, and no threshold was crossed."""
    AVERTED = "averted"
    """Somebody scaled the pool, and no threshold was crossed: whether it was right nobody can know."""
    EASED = "eased"
    """The threshold was crossed, no alert came, and the pool is below it again."""
    EXPIRED = "expired"
    """Nothing came of it for too long."""
    WITHDRAWN = "withdrawn"
    """Warnings were switched off, or their threshold is not known any more."""


@dataclass(frozen=True, slots=True)
class EarlyWarning:
    """One warning from its begin to its end; times in epoch seconds."""

    began_at: float
    foreseen: Crossing
    """As it was when the warning began."""
    expected: Crossing
    """As it was seen last."""
    likely_at: float
    """When a crossing was last expected."""
    queued: int | None = None
    """Jobs queued when it began."""
    oldest_wait_seconds: float | None = None
    crossed_at: float | None = None
    ended_at: float | None = None
    ending: Ending | None = None
    incident: str = ""
    """What has taken it over."""
    scaled_at: float | None = None
    """When somebody scaled the pool while it stood."""


@dataclass(frozen=True, slots=True)
class WarningHistory:
    """The warnings of one pool: the one that stands or was last, and how all of them came out."""

    episode: EarlyWarning | None = None
    streak: int = 0
    """Looks in a row that were sure of a crossing, while no warning stands."""
    above: bool = False
    """Whether the threshold is crossed, or was and has not been left by enough yet."""
    hits: int = 0
    """Warnings after which a threshold was crossed or an alert fired."""
    false: int = 0
    """Warnings after which neither came."""
    missed: int = 0
    """Crossings and alerts that no warning stood before."""

    @property
    def standing(self) -> bool:
        """Whether a warning stands now."""
        return self.episode is not None and self.episode.ended_at is None


def warning_key(pool: str, began_at: float) -> str:
    """What the message of a warning carries: its pool, and when it began (epoch seconds)."""
    return f"{MARK}{pool}/{began_at:.3f}"


def marked(mark: str) -> tuple[str, float] | None:
    """(the pool, when its warning began) of a message's mark; None when the message tells of no warning."""
    pool, _, began_at = mark.removeprefix(MARK).rpartition("/")
    if not mark.startswith(MARK) or not pool:
        return None
    try:
        return pool, float(began_at)
    except ValueError:
        return None
