"""Which samples of a pool are kept, how old the newest ones usually get, and which source has fallen silent."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median
from typing import Protocol, TypeVar

KEPT_SAMPLES = 240
"""Most samples kept per pool. Origin: an hour at 30 s and five hours at 5 min are 180; the rest is slack."""
WHOLE_SECONDS = 3600.0
"""All samples of this time are kept; of older ones, one in THIN_SECONDS."""
THIN_SECONDS = 300.0
"""Origin: a normal wait; what is shorter is no trouble."""
LONGEST_SECONDS = 6 * 3600.0
"""How long samples are kept: an alert is often an hour late, and four hours before it show what is usual.

Origin: judgement, with an hour to spare.
"""

OLDEST_SECONDS = 600.0
"""Figures of no source are usually older. Origin: judgement."""
LATELY = 6
"""Origin: judgement; a pace is read off so many samples."""
HELD_SECONDS = 900.0
"""A source that has fallen silent holds a drain back no longer than this (docs/design/diagnosis.md#definitions).

Origin: judgement; an incident may stay open for so long without a figure.
"""


class Timed(Protocol):
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


@dataclass(frozen=True, slots=True)
class Origin:
    """Where some figures of a sample come from, and how old they are."""

    source: str
    """The source's configured name; empty for the pool's only source."""
    at: float
    """Epoch seconds at which it measured them."""
    figures: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rhythm:
    """When figures of one kind came, and how old they get before newer ones come."""

    times: tuple[float, ...] = ()
    """Of the newest ones, oldest first (epoch seconds)."""
    usual_age: float = 0.0
    """Seconds."""

    def heard(self, at: float, tried_at: float, now: float) -> "Rhythm":
        """The rhythm with figures of `at`, which came between the measurements at `tried_at` and `now`.

        A source is slow, late or both. Figures after a gap tell nothing of their age.
        """
        if self.times and at <= self.times[-1]:
            return self
        times = (*self.times, at)[-LATELY:]
        *gaps, last = [b - a for a, b in pairwise(times)] or [0.0]
        if last > 2 * max(now - tried_at, median(gaps) if gaps else 0.0):
            return replace(self, times=times)
        reached = max(0.0, tried_at - times[-2]) if len(times) > 1 else 0.0
        return Rhythm(times, min(max(reached, (self.usual_age + reached) / 2), OLDEST_SECONDS))


@dataclass(frozen=True, slots=True)
class PoolSource:
    """One source of a pool, as its answers have shown it."""

    name: str
    """Its configured name; empty for a source without one."""
    queue: Rhythm = Rhythm()
    """Of the queue, and of all that is measured with it."""
    runners: Rhythm = Rhythm()
    """Of runners that it lists apart from the queue."""
    every: float = 0.0
    """Its period in seconds; 0: it is asked whenever the pool is measured."""
    gave_at: float | None = None
    """Time of the newest queue or wait that it gave; None: it gives none."""
    why: str = ""
    """Why it gave none the last time; empty if it did."""

    def allowed(self, poll_seconds: float, *, runners: bool = False) -> float:
        """How old its fresh figures may be: two periods more than is usual. Pools are asked each `poll_seconds`."""
        usual = self.runners.usual_age if runners and self.runners.times else self.queue.usual_age
        return usual + 2 * max(self.every, poll_seconds) + 1

    def silent(self, now: float, poll_seconds: float) -> bool:
        """Whether it gave a queue or a wait before, and none that is fresh now."""
        return self.gave_at is not None and now - self.gave_at > self.allowed(poll_seconds)
