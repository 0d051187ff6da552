"""Reads that go on when nobody waits for them any more; they end before the connections close."""

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

T = TypeVar("T")


class Background:
    """The reads of one installation that are on their way."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    def add(self, task: asyncio.Task[Any]) -> None:
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """Cancel them, and wait until they have ended."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


_CURRENT: ContextVar[Background | None] = ContextVar("background", default=None)


@contextmanager
def collected() -> Iterator[Background]:
    """What is begun inside the block, and in the tasks that it starts, is kept together."""
    background = Background()
    before = _CURRENT.set(background)
    try:
        yield background
    finally:
        _CURRENT.reset(before)


def begun(work: Coroutine[Any, Any, T]) -> "asyncio.Task[T]":
    """The task; its failure is for those who wait for it, and nobody may."""
    task = asyncio.get_running_loop().create_task(work, name="background")
    task.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
    if (background := _CURRENT.get()) is not None:
        background.add(task)
    return task
