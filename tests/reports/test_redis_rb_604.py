"""redis/redis-rb#604: a hosted Redis allows few connections, others hold them, and every command is refused."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from bot.adapters.redis.commit import Clocks
from bot.adapters.redis.connect import connect
from bot.adapters.redis.store import RedisStore
from bot.core.record import Change
from bot.ports import Failure, Unreachable
from tests.ports import free_port
from tests.redis_servers import running

MOST = 3


@pytest.fixture
def small(tmp_path: Path) -> Iterator[str]:
    port = free_port()
    url = f"redis://127.0.0.1:{port}"
    limits = ("--maxclients", f"{MOST}", "--save", "", "--dir", f"{tmp_path}")
    with running("redis-server", "--port", f"{port}", *limits, url=url):
        yield url


@pytest.mark.needs("redis-server")
async def test_the_limit_is_named_and_work_goes_on_when_others_leave(small: str) -> None:
    store, change = RedisStore(connect(small), Clocks(time.time, time.monotonic)), Change(once=("m",), once_value="i1")
    others = [redis.Redis.from_url(small) for _ in range(MOST)]
    for other in others:
        other.ping()
    with pytest.raises(Unreachable) as refused:
        await store.commit(change)
    assert (refused.value.failure, "maxclients" in refused.value.remedy) == (Failure.LATER, True)
    for other in others:
        other.close()
    await store.commit(change)
    assert await store.done_by("m") == "i1"
    await store.aclose()
