"""A background task ends, even when a library swallows a cancellation."""

import asyncio

import pytest

from handlers.cancellation import ended
from tests.patience import PATIENCE_SECONDS


async def test_a_task_that_swallows_the_first_cancellation_ends_all_the_same() -> None:
    """Seen with a Redis client that was cancelled while it connected: the process did not stop on SIGTERM."""
    heard = 0

    async def stubborn() -> None:
        nonlocal heard
        while True:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                heard += 1
                if heard > 1:
                    raise

    task = asyncio.create_task(stubborn())
    await asyncio.sleep(0)
    async with asyncio.timeout(PATIENCE_SECONDS):
        await ended(task)
    assert task.cancelled()
    assert heard == 2


async def test_what_a_task_raised_is_not_hidden() -> None:
    """Ending is no way to lose an error."""

    async def broken() -> None:
        raise ValueError("the reason")

    task = asyncio.create_task(broken())
    await asyncio.sleep(0)
    with pytest.raises(ValueError, match="the reason"):
        await ended(task)
