"""redis/go-redis#2229: after a failover scripts are refused for a quarter of an hour: READONLY is in a sentence."""

import asyncio
import time
from pathlib import Path

import pytest

from bot.adapters.redis.commit import Clocks
from bot.adapters.redis.connect import connect
from bot.adapters.redis.store import RedisStore
from bot.core.pool.pool import Pool
from bot.core.record import Change, Put, Stored
from tests.answering import Listeners
from tests.redis_servers import plain_redis
from tests.reports.test_redisson_1845 import fails_over, reads

CLOCKS = Clocks(time.time, time.monotonic)
READONLY = b"-READONLY You can't write against a read only replica"
SENTENCE = b"-ERR Error running script (call to f_a1): @user_script:50: @user_script: 50: " + READONLY


@pytest.mark.needs("redis-server")
async def test_a_script_of_an_older_server_that_is_a_replica_now_goes_to_the_new_primary() -> None:
    """Redis 6.2 wraps the errors of a script's commands, and managed services offer it."""
    with plain_redis() as first, plain_redis() as second:
        servers, listeners = [first, second], Listeners()

        async def older(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            up_reader, up_writer = await asyncio.open_unix_connection(Path(servers[0].removeprefix("unix://")))
            ways = (carried(reader, up_writer), carried(up_reader, writer))
            try:
                await asyncio.gather(*ways)
            except (OSError, asyncio.CancelledError):
                writer.transport.abort()
                up_writer.transport.abort()

        store = RedisStore(connect(f"redis://127.0.0.1:{await listeners.listen(older)}"), CLOCKS)
        await store.commit(Change(puts=(Put(Stored(Pool("p"), 0), Pool("p"), None),)))
        later = await fails_over(servers)
        await store.commit(Change(join=(("open", "i1"),)))
        assert (await reads(store), await store.members("open")) == (later, {"i1"})
        await store.aclose()
        await listeners.__aexit__()


async def carried(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    while data := await source.read(1 << 16):
        target.write(data.replace(READONLY, SENTENCE))
    target.transport.abort()
