"""redis/redis#3852: millions of keys are evicted suddenly, the day after a failover."""

import time

import pytest
import redis

from bot.adapters.redis.commit import Clocks
from bot.adapters.redis.connect import connect
from bot.adapters.redis.store import RedisStore
from tests.redis_servers import plain_redis, whole

CLOCKS = Clocks(time.time, time.monotonic)


@pytest.mark.needs("redis-server")
@pytest.mark.parametrize(("setting", "value"), [("maxmemory-policy", "allkeys-lru"), ("appendonly", "no")])
async def test_settings_that_become_unsafe_are_told_on_the_readiness_page(setting: str, value: str) -> None:
    """The start refuses them; a server that takes over later may have others."""
    with plain_redis("--appendonly", "yes") as url, redis.Redis.from_url(url) as client:
        whole(client)
        shared, own = (RedisStore(connect(url), CLOCKS, shared=shared) for shared in (True, False))
        assert await shared.storable() == ""
        client.config_set(setting, value)
        assert setting in (await shared.storable()).lower()
        assert await own.storable() == "", "an embedded server has the settings that Tailback gave it"
        await shared.aclose()
        await own.aclose()
