"""RT-8: which release may work on which records."""

import redis

from bot.adapters.migrations import FORMAT
from bot.adapters.redis.commit import Clocks
from bot.adapters.redis.connect import connect
from bot.adapters.redis.safety_checks import FORMAT_KEY
from bot.adapters.redis.store import RedisStore
from handlers.machine import now


def opened(url: str) -> RedisStore:
    return RedisStore(connect(url), Clocks(now, now), lease_seconds=5)


async def test_a_release_writes_down_that_it_was_here(redis_url: str) -> None:
    """Records without a format are those of release 0.1: they are taken over."""
    store = opened(redis_url)
    assert await store.adopt() == []
    assert await store.adopt() == []
    await store.aclose()
    with redis.Redis.from_url(redis_url) as client:
        assert client.get(FORMAT_KEY) == str(FORMAT).encode()


async def test_records_of_a_newer_release_are_not_touched(redis_url: str) -> None:
    """A downgrade is refused with both ways out, by the start and by the doctor; the format stays as it is."""
    with redis.Redis.from_url(redis_url) as client:
        client.set(FORMAT_KEY, FORMAT + 1)
        store = opened(redis_url)
        (said,) = await store.adopt()
        assert f"format {FORMAT + 1}, of a newer Tailback" in said.what
        assert said.remedy == "start that release again, or give this one an empty Redis"
        assert said in await store.check()
        await store.aclose()
        assert client.get(FORMAT_KEY) == str(FORMAT + 1).encode()


async def test_one_look_says_what_to_do(redis_url: str) -> None:
    """The format is read once, so that what is judged is what was seen."""
    store = opened(redis_url)
    with redis.Redis.from_url(redis_url, decode_responses=True) as client:
        for _ in range(2):
            client.config_resetstat()
            assert await store.adopt() == []
            assert client.info("commandstats")["cmdstat_get"]["calls"] == 1
    await store.aclose()
