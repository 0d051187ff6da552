"""Which samples of a pool are kept: all of the last hour, and a few of the hours before."""

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
    """The samples to keep, oldest first."""
    now = samples[-1].at if samples else 0.0
    older = (s for s in samples if WHOLE_SECONDS < now - s.at <= LONGEST_SECONDS)
    thin = {s.at // THIN_SECONDS: s for s in older}
    return (*thin.values(), *(s for s in samples if now - s.at <= WHOLE_SECONDS))[-KEPT_SAMPLES:]
