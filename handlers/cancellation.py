"""Ends a background task reliably; a library may swallow one cancellation, so it is repeated."""

import asyncio
import contextlib

AGAIN_SECONDS = 0.2


async def ended(task: "asyncio.Task[None]") -> None:
    """Cancel the task until it ends; raises its own exceptions, but not its cancellation."""
    while not task.done():
        task.cancel()
        await asyncio.wait({task}, timeout=AGAIN_SECONDS)
    with contextlib.suppress(asyncio.CancelledError):
        task.result()
