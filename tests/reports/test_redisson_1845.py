"""redisson/redisson#1845: after a failover a half of the connections stay with the server that was the primary."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import redis

from bot.adapters.redis.commit import Clocks
from bot.adapters.redis.connect import connect
from bot.adapters.redis.store import RedisStore
from bot.core.pool.pool import Pool
from bot.core.record import Change, Put, Stored
from tests.faults.frames import REDIS
from tests.faults.wires import Wire
from tests.redis_servers import plain_redis

CLOCKS = Clocks(time.time, time.monotonic)


@pytest.fixture
def servers() -> Iterator[list[str]]:
    """The primary, and what takes its place."""
    with plain_redis() as first, plain_redis() as second:
        yield [first, second]


@asynccontextmanager
async def by_name(servers: list[str]) -> AsyncIterator[tuple[RedisStore, Wire]]:
    """A process that knows one name, which leads to the first of the servers; it has two connections."""
    async with Wire(REDIS, lambda: Path(servers[0].removeprefix("unix://"))) as wire:
        store = RedisStore(connect(f"redis://127.0.0.1:{await wire.port_for('a')}"), CLOCKS)
        await store.commit(Change(puts=(Put(Stored(Pool("p"), 0), Pool("p"), None),)))
        await asyncio.gather(reads(store), store.members("open"))
        yield store, wire
        await store.aclose()


async def reads(store: RedisStore) -> Pool:
    return (await store.get_many(Pool, ["p"]))["p"].value


async def fails_over(servers: list[str]) -> Pool:
    """The second server takes over with what the first had, and another process writes there.

    The first serves what it had, and refuses writes; connections to it go on.
    """
    with redis.Redis.from_url(servers[0]) as old, redis.Redis.from_url(servers[1]) as new:
        for key in old.scan_iter():
            new.restore(key, 0, old.dump(key), replace=True)
        old.replicaof("127.0.0.1", 1)
    servers.reverse()
    other, later = RedisStore(connect(servers[0]), CLOCKS), Pool("p", trouble="later")
    await other.commit(Change(puts=(Put(Stored(Pool("p"), 1), later, None),)))
    await other.aclose()
    return later


@pytest.mark.needs("redis-server")
async def test_nothing_is_read_from_a_former_primary_once_it_refused_a_write(servers: list[str]) -> None:
    async with by_name(servers) as (store, _):
        later = await fails_over(servers)
        await store.commit(Change(join=(("open", "i1"),)))
        assert await store.members("open") == {"i1"}
        assert await reads(store) == later


@pytest.mark.needs("redis-server")
async def test_a_connection_that_was_in_use_then_is_not_used_again(servers: list[str]) -> None:
    async with by_name(servers) as (store, wire):
        held = wire.hold(lambda request: request.about("rec:pool:p"), reply=True)
        reading = asyncio.create_task(reads(store))
        await held.waits()
        later = await fails_over(servers)
        await store.commit(Change(join=(("open", "i1"),)))
        held.release()
        await reading
        assert await reads(store) == later
