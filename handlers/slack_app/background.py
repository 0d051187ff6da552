"""Work after Slack got its response, such as opening dialogs; it must not delay the response."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import structlog

log = structlog.get_logger()


class Afterwards:
    """Background tasks of requests; `finished` waits for them at shutdown."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def do(self, work: Coroutine[Any, Any, None]) -> None:
        """Start a task; its exceptions are logged."""
        task = asyncio.create_task(work, name="afterwards")
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    async def finished(self, within_seconds: float = 2.0) -> None:
        """Wait for all tasks, up to a time limit."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=within_seconds)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("not done after the answer", why=repr(error), exc_info=error)
