"""One answer for many pools: a listing is asked for at most once in a period, however many pools are measured by it."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from bot.adapters.http.client import LONGEST_PAUSE_SECONDS
from bot.core.pool.pool import Snapshot
from bot.ports import Unreachable

T = TypeVar("T")
USUAL_SECONDS = 20.0
"""Shorter than the default poll of 30 s, so that each measurement of a pool sees a newer listing."""


@dataclass(frozen=True, slots=True)
class Listed(Generic[T]):
    """A listing and its time."""

    value: T
    at: float
    """Epoch seconds at which the source measured."""
    good_seconds: float = 0.0
    """How long the source wants not to be asked again."""


class Listing(Generic[T]):
    """Keeps the newest answer, or failure, for the period; who comes while it is being asked for waits for that one."""

    def __init__(
        self, ask: Callable[[], Awaitable[Listed[T]]], now: Callable[[], float], seconds: float = USUAL_SECONDS
    ) -> None:
        """`now` gives epoch seconds; `seconds` is the least time between two requests."""
        self._ask, self._now, self._seconds = ask, now, seconds
        self._lock = asyncio.Lock()
        self._kept: Listed[T] | Unreachable | None = None
        self._from, self._until = 0.0, 0.0

    async def get(self) -> Listed[T]:
        """The listing of this period. Raises Unreachable, for a failure of this period too."""
        async with self._lock:
            now = self._now()
            if self._kept is None or not self._from <= now < self._until:
                self._kept, self._from = await self._asked(), now
                self._until = now + max(self._seconds, _wanted(self._kept))
            if isinstance(self._kept, Unreachable):
                raise self._kept.with_traceback(None)
            return self._kept

    async def _asked(self) -> Listed[T] | Unreachable:
        try:
            return await self._ask()
        except Unreachable as problem:
            return problem


def _wanted(kept: Listed[T] | Unreachable) -> float:
    """Seconds that the source asked to be left alone, within bounds (C17)."""
    asked = kept.retry_after_seconds or 0.0 if isinstance(kept, Unreachable) else kept.good_seconds
    return min(asked, LONGEST_PAUSE_SECONDS)


async def tried(listing: Listing[T]) -> Listed[T] | Unreachable:
    """The listing, or why there is none: for a part without which the rest still says something."""
    try:
        return await listing.get()
    except Unreachable as problem:
        return problem


class Present:
    """A source that knows only the present."""

    async def history(self, pool: str, since: float, until: float, step_seconds: float) -> tuple[Snapshot, ...]:
        """Always empty."""
        del pool, since, until, step_seconds
        return ()
