"""Ends a background task for certain: a library may swallow one cancellation, and then the task must hear it again."""

import asyncio
import contextlib

AGAIN_SECONDS = 0.2


async def ended(task: "asyncio.Task[None]") -> None:
    """Cancel until it is over; its own exceptions are raised, its cancellation is not."""
    while not task.done():
        task.cancel()
        await asyncio.wait({task}, timeout=AGAIN_SECONDS)
    with contextlib.suppress(asyncio.CancelledError):
        task.result()
