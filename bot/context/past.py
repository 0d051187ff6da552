"""Reads the past of pools in the background, so that it never delays present figures."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from functools import partial

import structlog

from bot.core.pool.pool import Snapshot
from bot.core.pool.retention import kept
from bot.ports import Metrics, Unreachable

PAST_SECONDS = 4 * 3600.0
"""History that an incident starts with, if the source has it; in fleet time.

An alert fires when a job has waited for up to an hour. The hours before show the usual state, as the baseline needs it.
"""
STEPS = 240
"""Samples of that history."""
QUICK_SECONDS = 0.3
"""How long a measurement waits for it; a slower history wakes its pool when it is there."""
BUDGET_SECONDS = 60.0
"""Time limit for one pool's history."""
AT_ONCE = 4
"""Pools whose history is read at once, so that measurements find free connections."""

MOST_HELD = 128
"""Histories that are read or wait to be taken; one is about 70 kB, and a thousand pools start at the same time."""

log = structlog.get_logger()


@dataclass(slots=True)
class PastReader:
    """The histories that are being read in this process."""

    tasks: dict[str, asyncio.Task[tuple[Snapshot, ...]]] = field(default_factory=dict)
    later: dict[str, Callable[[], Coroutine[None, None, tuple[Snapshot, ...]]]] = field(default_factory=dict)
    """By pool: how to begin, when fewer histories wait to be taken."""
    awaited: set[str] = field(default_factory=set)
    """Pools whose measurement waits."""
    turns: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_ONCE))

    def pending(self, pool: str) -> bool:
        """Whether a pool's history is being read, or waits to be taken."""
        return pool in self.tasks or pool in self.later

    def drop(self, pool: str) -> None:
        """Forget a pool whose history was taken, or that is not measured any more."""
        self.later.pop(pool, None)
        if (task := self.tasks.pop(pool, None)) is not None:
            task.cancel()
        self._begin()

    async def read(
        self, source: Metrics, pool: str, now: float, wake: Callable[[], Awaitable[None]]
    ) -> tuple[Snapshot, ...]:
        """A pool's history, oldest first; empty if it cannot be had, or while it is being read, and then it wakes."""
        if pool not in self.tasks:
            self.later[pool] = partial(self._ask, source, pool, now, wake)
            self._begin()
        if (task := self.tasks.get(pool)) is None:
            return ()
        self.awaited.add(pool)
        await asyncio.wait({task}, timeout=QUICK_SECONDS)
        self.awaited.discard(pool)
        if not task.done():
            return ()
        self.drop(pool)
        return task.result()

    def _begin(self) -> None:
        while self.later and len(self.tasks) < MOST_HELD:
            pool = next(iter(self.later))
            self.tasks[pool] = asyncio.ensure_future(self.later.pop(pool)())

    async def close(self) -> None:
        """End what is still being read."""
        for task in self.tasks.values():
            task.cancel()
        await asyncio.gather(*self.tasks.values(), return_exceptions=True)

    async def _ask(
        self, source: Metrics, pool: str, now: float, wake: Callable[[], Awaitable[None]]
    ) -> tuple[Snapshot, ...]:
        found: tuple[Snapshot, ...] = ()
        try:
            async with self.turns, asyncio.timeout(BUDGET_SECONDS):
                found = kept(await source.history(pool, now - PAST_SECONDS, now - 1, PAST_SECONDS / STEPS))
        except (Unreachable, TimeoutError) as error:
            log.warning("past not read", pool=pool, why=str(error) or "no answer in time", repeats="why")
        if pool not in self.awaited:
            await wake()
        return found
