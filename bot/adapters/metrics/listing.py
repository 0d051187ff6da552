"""Shares one listing between pools: it is read at most once per period, and in the background where that takes long."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from bot.adapters.http.client import LONGEST_PAUSE_SECONDS
from bot.core.pool.pool import Snapshot
from bot.ports import Failure, Unreachable

T = TypeVar("T")
USUAL_SECONDS = 20.0
"""Shorter than the default poll of 30 s, so that every measurement gets a newer listing."""
PATIENCE_SECONDS = 6.0
"""How long a measurement waits for a listing; with the request that it makes afterwards it fits into a lease."""
KEPT_SECONDS = 60.0
"""How long a listing counts, with its own time, while newer ones fail or take long."""


@dataclass(frozen=True, slots=True)
class Listed(Generic[T]):
    value: T
    at: float
    """When the source measured (epoch seconds)."""
    good_seconds: float = 0.0
    """How long the source asks not to be called again."""


class Listing(Generic[T]):
    """Keeps the newest response, or failure, for the period; concurrent callers share one request."""

    def __init__(
        self,
        ask: Callable[[float], Awaitable[Listed[T]]],
        now: Callable[[], float],
        seconds: float = USUAL_SECONDS,
        patience_seconds: float = PATIENCE_SECONDS,
    ) -> None:
        """`ask` gets the time at which it is called; `seconds` is the least time between two requests."""
        self._ask, self._now, self._seconds, self._patience = ask, now, seconds, patience_seconds
        self._reading: asyncio.Task[None] | None = None
        self._kept: Listed[T] | None = None
        self._problem: Unreachable | None = None
        self._from, self._until = 0.0, 0.0

    async def get(self) -> Listed[T]:
        """The newest listing. Raises Unreachable while there is none, also for a failure earlier in this period.

        A request that takes longer than the patience goes on, and an older listing counts until it is answered.
        """
        now = self._now()
        if self._reading is None and not self._from <= now < self._until:
            self._from = now
            self._reading = asyncio.ensure_future(self._read())
        if (reading := self._reading) is not None:
            done, _ = await asyncio.wait({reading}, timeout=self._patience)
            for one in done:
                one.result()
        if self._kept is not None and (self._problem is None or 0 <= now - self._kept.at < KEPT_SECONDS):
            return self._kept
        if self._problem is not None:
            raise self._problem.with_traceback(None)
        late = f"has not answered within {self._patience:g} s; the request goes on"
        raise Unreachable("The metrics source", late, failure=Failure.LATER)

    async def _read(self) -> None:
        wanted = 0.0
        try:
            self._kept, self._problem = await self._ask(self._from), None
            wanted = self._kept.good_seconds
        except Unreachable as problem:
            self._problem, wanted = problem, problem.retry_after_seconds or 0.0
        finally:
            self._until = self._from + max(self._seconds, min(wanted, LONGEST_PAUSE_SECONDS))
            self._reading = None


async def tried(listing: Listing[T]) -> Listed[T] | Unreachable:
    """The listing, or why there is none; for optional parts."""
    try:
        return await listing.get()
    except Unreachable as problem:
        return problem


class Present:
    async def history(self, *_: object) -> tuple[Snapshot, ...]:
        """Always empty: the source knows the present alone."""
        return ()
