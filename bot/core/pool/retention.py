"""Which samples of a pool are kept: all of the last hour, and a few of the hours before."""

from bisect import bisect_left
from collections.abc import Sequence
from typing import Protocol, TypeVar

KEPT_SAMPLES = 240
"""Most samples kept per pool."""
WHOLE_SECONDS = 3600.0
"""All samples of this time are kept; of older ones, one in THIN_SECONDS."""
THIN_SECONDS = 300.0
LONGEST_SECONDS = 6 * 3600.0
"""How long samples are kept: an alert is often an hour late, and four hours before it show what is usual."""


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
