"""bitnami/charts#5418: after a failover two servers are masters; what was written to one of them is gone later."""

import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import redis

from bot.adapters.redis.commit import Clocks
from bot.adapters.redis.connect import connect
from bot.adapters.redis.store import RedisStore
from bot.core.record import Change
from tests.faults.frames import REDIS
from tests.faults.wires import Wire
from tests.redis_servers import plain_redis

CLOCKS = Clocks(time.time, time.monotonic)


class TwoMasters:
    """`cut_off` writes to the one that is left by all others in the end, `other` to its successor."""

    def __init__(self, first: str, second: str, wire: Wire, port: int) -> None:
        self.urls, self.wire, self.leads_to = (first, second), wire, first
        self.cut_off = RedisStore(connect(f"redis://127.0.0.1:{port}"), CLOCKS)
        self.before, self.other = (RedisStore(connect(url), CLOCKS) for url in self.urls)

    def parts(self) -> None:
        """The second becomes a master with what the first has now."""
        with redis.Redis.from_url(self.urls[0]) as old, redis.Redis.from_url(self.urls[1]) as new:
            for key in old.scan_iter():
                new.restore(key, 0, old.dump(key), replace=True)

    async def ends(self) -> None:
        self.leads_to = self.urls[1]
        self.wire.cut()
        self.wire.mend()
        await self.cut_off.members("open")  # connects anew, as a claim does that failed first


@pytest.fixture
async def masters() -> AsyncIterator[TwoMasters]:
    with plain_redis() as first, plain_redis() as second:
        async with Wire(REDIS, lambda: Path(made.leads_to.removeprefix("unix://"))) as wire:
            made = TwoMasters(first, second, wire, await wire.port_for("a"))
            yield made
            for store in (made.cut_off, made.before, made.other):
                await store.aclose()


async def writes(store: RedisStore, times: int) -> None:
    for _ in range(times):
        await store.commit(Change(join=(("open", "i1"),)))


@pytest.mark.needs("redis-server")
@pytest.mark.parametrize("by", ["claim", "commit"])
async def test_lost_writes_are_noticed_though_others_wrote_more_meanwhile(masters: TwoMasters, by: str) -> None:
    """P10: the counter of all commits is further than the process saw it, and yet its own are gone."""
    await writes(masters.cut_off, 1)
    masters.parts()
    await writes(masters.cut_off, 2)
    await writes(masters.other, 5)
    await masters.ends()
    assert not masters.cut_off.lost_data()
    await (masters.cut_off.claim(1) if by == "claim" else writes(masters.cut_off, 1))
    assert (masters.cut_off.lost_data(), masters.other.lost_data()) == (True, False)
    masters.cut_off.accept_loss()
    await writes(masters.cut_off, 2)
    await masters.cut_off.claim(1)
    assert not masters.cut_off.lost_data()


@pytest.mark.needs("redis-server")
async def test_a_failover_that_loses_nothing_is_no_loss(masters: TwoMasters) -> None:
    await writes(masters.before, 3)
    await writes(masters.cut_off, 1)
    masters.parts()
    await writes(masters.other, 5)
    await masters.ends()
    await masters.cut_off.claim(1)
    await writes(masters.cut_off, 1)
    assert not masters.cut_off.lost_data()
