"""Figures of which some are unknown: None is not zero, and decides nothing."""

from collections.abc import Iterable
from typing import TypeVar

N = TypeVar("N", int, float)


def most(figures: Iterable[N | None]) -> N | None:
    """The largest of those that are known; None if none is."""
    return max((one for one in figures if one is not None), default=None)


def any_true(flags: Iterable[bool | None]) -> bool | None:
    """Whether one is known to be true; None if none is known."""
    known = [flag for flag in flags if flag is not None]
    return any(known) if known else None
