"""Which samples of a pool are kept, and how old the newest one usually gets."""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise
from statistics import median
from typing import Protocol, TypeVar

KEPT_SAMPLES = 240
"""Most samples kept per pool."""
WHOLE_SECONDS = 3600.0
"""All samples of this time are kept; of older ones, one in THIN_SECONDS."""
THIN_SECONDS = 300.0
LONGEST_SECONDS = 6 * 3600.0
"""How long samples are kept: an alert is often an hour late, and four hours before it show what is usual."""

OLDEST_SECONDS = 600.0
"""Figures of no source are usually older."""
LATELY = 6


class Timed(Protocol):
    """Anything with a time."""

    @property
    def at(self) -> float:
        """Epoch seconds."""
        ...


T = TypeVar("T", bound=Timed)


def kept(samples: Sequence[T]) -> tuple[T, ...]:
    """The samples to keep, of these, which are in the order of their times."""
    if not samples:
        return ()
    now = samples[-1].at
    since = bisect_left(samples, -LONGEST_SECONDS, key=lambda one: one.at - now)
    whole = bisect_left(samples, -WHOLE_SECONDS, key=lambda one: one.at - now)
    thin = {one.at // THIN_SECONDS: one for one in samples[since:whole]}
    return (*thin.values(), *samples[whole:])[-KEPT_SAMPLES:]


def pace(samples: Sequence[Timed]) -> float:
    """How often new samples come (seconds)."""
    gaps = [b.at - a.at for a, b in pairwise(samples[-LATELY:])]
    return median(gaps) if gaps else 0.0


def usual_age(before: float, samples: Sequence[Timed], tried_at: float, now: float) -> float:
    """How old figures of a source get before newer ones come (seconds), since it is slow, late or both.

    The newest of `samples` came between two measurements, at `tried_at` and `now`. One after a gap tells nothing.
    """
    times = [one.at for one in samples[-LATELY:]]
    *gaps, last = [b - a for a, b in pairwise(times)] or [0.0]
    if last > 2 * max(now - tried_at, median(gaps) if gaps else 0.0):
        return before
    reached = max(0.0, tried_at - times[-2]) if len(times) > 1 else 0.0
    return min(max(reached, (before + reached) / 2), OLDEST_SECONDS)
