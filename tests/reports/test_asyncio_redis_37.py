"""jonathanslenders/asyncio-redis#37: a request is given up while it asks Redis, and every later one waits for ever."""

import asyncio
import time

import pytest

from bot.adapters.redis.commit import Clocks
from bot.adapters.redis.connect import connect
from bot.adapters.redis.store import RedisStore
from bot.core.record import Change


async def test_calls_that_are_given_up_at_once_hold_up_no_other(redis_url: str) -> None:
    """Given up in the turn of the event loop in which they ask, while nothing else is on its way."""
    store = RedisStore(connect(redis_url), Clocks(time.time, time.monotonic))
    await store.commit(Change(point={"open:g": ("i1", None)}))
    await asyncio.sleep(0.05)
    for _ in range(3):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0):
                await store.find("open:g")
    assert await store.find("open:g") == "i1"
    await store.aclose()
