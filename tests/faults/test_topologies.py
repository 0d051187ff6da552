"""The whole product on Redis as larger installations run it: Sentinel, Cluster, a login of its own, managed servers."""

import asyncio
import signal
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest

from bot.adapters.redis_connect import connect
from bot.adapters.redis_store import Clocks, RedisStore
from bot.ports import Unreachable
from tests.faults.checker import judged, roots, seen
from tests.faults.groups import firing_group
from tests.faults.house import House, Plan, house
from tests.faults.servers import RedisServer, Zygote
from tests.faults.topologies import Topology, cluster, sentinel

pytestmark = [pytest.mark.needs("redis-server"), pytest.mark.needs("redis-sentinel")]

GROUPS = 60
PLAN = Plan(resync="2s", sweep="2s")
"""What a failover lost and still fires comes back with the next resync; a second thread goes with the next sweep."""
WATCHED = ("--min-replicas-to-write", "1", "--min-replicas-max-lag", "5")
"""A primary that no replica follows takes no writes. With two replicas it works on after a failover; with one, as in
the Cluster here, it would not before a replica is back."""
GRANTED = "on >s3cret ~{tailback}:* &{tailback}:* +@all -@dangerous +info"
"""What docs/security.md tells to grant."""
Make = Callable[..., AbstractAsyncContextManager[Topology]]


@asynccontextmanager
async def living_on(url: str, zygote: Zygote, folder: Path, plan: Plan = PLAN) -> AsyncIterator[House]:
    """Two webs and three workers whose records are at `url`."""
    async with house(zygote, folder, plan, start=False) as home:
        for process in home.processes.values():
            process.env["REDIS_URL"] = url
        await home.start()
        yield home


async def ready(home: House) -> bool:
    """Whether every web process says that it can work."""
    return all([await home.readiness(web) == 200 for web in home.webs])


@pytest.mark.parametrize(("make", "settings"), [(sentinel, WATCHED), (cluster, ())])
async def test_a_primary_that_is_killed_under_load_costs_no_thread(
    make: Make, settings: tuple[str, ...], zygote: Zygote, tmp_path: Path
) -> None:
    """Webhooks are repeated on 503: each accepted group has one thread that is known, and no process was restarted."""
    async with make(tmp_path, *settings) as redis, living_on(redis.url, zygote, tmp_path) as home:
        pids = [process.pid for process in home.processes.values()]
        home.ends.firing += [firing_group(number) for number in range(GROUPS)]
        sends = [asyncio.create_task(home.send_until_taken(number)) for number in range(GROUPS // 2)]
        await home.eventually(lambda: sum(d.status == 200 for d in home.delivered) >= 5, "some accepted")
        redis.lose_primary()
        assert not await ready(home)
        sends += [asyncio.create_task(home.send_until_taken(number)) for number in range(GROUPS // 2, GROUPS)]
        await asyncio.gather(*sends)
        assert {sent.status for sent in home.delivered} == {200, 503}
        assert max(sent.seconds for sent in home.delivered) < 3.0
        await home.eventually(lambda: ready(home), "readiness goes back")
        assert len(redis.keeps_our_keys()) == 1
        verdict = await judged(home)
        assert verdict.kept, verdict
        assert len(roots(home)) == GROUPS
        assert [process.pid for process in home.processes.values() if process.code is None] == pids
