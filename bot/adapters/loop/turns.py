"""Long work in short turns, so that the event loop serves webhooks, clicks and leases in between."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterable
from typing import TypeVar

T = TypeVar("T")
TURN_SECONDS = 0.01
"""A tenth of what a person notices."""


async def in_turns(items: Iterable[T]) -> AsyncIterator[T]:
    """The items; whoever iterates gives the loop back after each turn."""
    began = time.perf_counter()
    for item in items:
        yield item
        if time.perf_counter() - began >= TURN_SECONDS:
            await asyncio.sleep(0)
            began = time.perf_counter()


class Turns:
    """Short work of many tasks that are ready at once: one after another, and the loop is given back after each turn.

    Without it all of them run before anything else, however short each of them is.
    """

    def __init__(self) -> None:
        self._lock, self._spent = asyncio.Lock(), 0.0

    async def take(self, work: Callable[[], T]) -> T:
        async with self._lock:
            if self._spent >= TURN_SECONDS:
                await asyncio.sleep(0)
                self._spent = 0.0
            began = time.perf_counter()
            try:
                return work()
            finally:
                self._spent += time.perf_counter() - began
