"""A signal over the recent past of its pool, for a chart."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.core.signals.signal import Signal

SignalsAt = tuple[float, tuple[Signal, ...]]
"""The signals of a pool at a time (epoch seconds)."""

MOST_SIGNALS, MOST_POINTS = 8, 40
LEAST_POINTS = 5
"""Known points required for a chart."""


@dataclass(frozen=True, slots=True)
class SignalCourse:
    """A signal as it was last, and its numbers before."""

    pool: str
    signal: Signal
    points: tuple[tuple[float, float], ...] = ()
    """(epoch seconds, number), oldest first; the highest of each part of the time. What is unknown is left out."""

    @property
    def bad(self) -> bool:
        """Whether it is known to be in trouble now."""
        return self.signal.value is not None and self.signal.bad(self.signal.value)


def courses_of(pool: str, samples: Sequence[SignalsAt]) -> tuple[SignalCourse, ...]:
    """The signals of the newest sample with their past, those in trouble first; `samples` are oldest first."""
    newest = samples[-1][1] if samples else ()
    found = [SignalCourse(pool, one, _points(samples, one.name)) for one in newest]
    return tuple(sorted(found, key=lambda one: not one.bad)[:MOST_SIGNALS])


def _points(samples: Sequence[SignalsAt], name: str) -> tuple[tuple[float, float], ...]:
    known = [(at, one.value) for at, them in samples for one in them if one.name == name and one.value is not None]
    size = max(1, -(-len(known) // MOST_POINTS))
    parts = (known[first : first + size] for first in range(0, len(known), size))
    return tuple((part[-1][0], max(value for _, value in part)) for part in parts)
