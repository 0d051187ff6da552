"""Shares one listing between pools: it is read at most once per period."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from bot.adapters.http.client import LONGEST_PAUSE_SECONDS
from bot.core.pool.pool import Snapshot
from bot.ports import Unreachable

T = TypeVar("T")
USUAL_SECONDS = 20.0
"""Shorter than the default poll of 30 s, so that every measurement gets a newer listing."""


@dataclass(frozen=True, slots=True)
class Listed(Generic[T]):
    """A listing and its time."""

    value: T
    at: float
    """When the source measured (epoch seconds)."""
    good_seconds: float = 0.0
    """How long the source asks not to be called again."""


class Listing(Generic[T]):
    """Keeps the newest response, or failure, for the period; concurrent callers share one request."""

    def __init__(
        self, ask: Callable[[], Awaitable[Listed[T]]], now: Callable[[], float], seconds: float = USUAL_SECONDS
    ) -> None:
        """`now` gives epoch seconds; `seconds` is the least time between two requests."""
        self._ask, self._now, self._seconds = ask, now, seconds
        self._lock = asyncio.Lock()
        self._kept: Listed[T] | Unreachable | None = None
        self._from, self._until = 0.0, 0.0

    async def get(self) -> Listed[T]:
        """The listing of this period. Raises Unreachable, also for a failure earlier in this period."""
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
    """The pause that the source asked for, within bounds (C17)."""
    asked = kept.retry_after_seconds or 0.0 if isinstance(kept, Unreachable) else kept.good_seconds
    return min(asked, LONGEST_PAUSE_SECONDS)


async def tried(listing: Listing[T]) -> Listed[T] | Unreachable:
    """The listing, or why there is none; for optional parts."""
    try:
        return await listing.get()
    except Unreachable as problem:
        return problem


class Present:
    """A source without history."""

    async def history(self, pool: str, since: float, until: float, step_seconds: float) -> tuple[Snapshot, ...]:
        """Always empty."""
        del pool, since, until, step_seconds
        return ()
