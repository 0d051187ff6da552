"""The whole product on Redis as larger installations run it: Sentinel, Cluster, a login of its own, managed servers."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest

from bot.adapters.redis.commit import Clocks
from bot.adapters.redis.connect import connect
from bot.adapters.redis.store import RedisStore
from bot.core.record import Change
from bot.ports import Unreachable
from tests.faults.checker import kept, roots
from tests.faults.groups import firing_group
from tests.faults.servers import RedisServer
from tests.faults.system import Plan, System, opened_system
from tests.faults.topologies import Topology, cluster, sentinel
from tests.patience import HANGS_SECONDS, PATIENCE_SECONDS
from tests.processes import Zygote

pytestmark = [pytest.mark.needs("redis-server"), pytest.mark.needs("redis-sentinel")]

GROUPS = 60
PLAN = Plan(resync="2s", sweep="2s")
"""What a failover lost and still fires comes back with the next resync; a second thread goes with the next sweep."""
WATCHED = ("--min-replicas-to-write", "1", "--min-replicas-max-lag", "5")
"""A primary that no replica follows takes no writes. With two replicas it works on after a failover; with one, as in
the Cluster here, it would not before a replica is back."""
GRANTED = (
    "on",
    ">s3cret",
    "~{tailback}:*",
    "resetchannels",
    "&{tailback}:*",
    "+@all",
    "-@dangerous",
    "+info",
    "+client|setname",
    "+cluster|slots",
)
"""What docs/reference/settings.md tells to grant."""
Make = Callable[..., AbstractAsyncContextManager[Topology]]


@asynccontextmanager
async def living_on(url: str, zygote: Zygote, folder: Path, plan: Plan = PLAN) -> AsyncIterator[System]:
    """Two webs and three workers whose records are at `url`."""
    async with opened_system(zygote, folder, plan, start=False) as system:
        for process in system.processes.values():
            process.env["REDIS_URL"] = url
        await system.start()
        yield system


async def ready(system: System) -> bool:
    return all([await system.readiness(web) == 200 for web in system.webs])


@pytest.mark.parametrize(("make", "settings"), [(sentinel, WATCHED), (cluster, ())])
async def test_a_primary_that_is_killed_under_load_costs_no_thread(
    make: Make, settings: tuple[str, ...], zygote: Zygote, tmp_path: Path
) -> None:
    """Webhooks are repeated on 503: each accepted group has one thread that is known, and no process was restarted."""
    async with make(tmp_path, *settings) as redis, living_on(redis.url, zygote, tmp_path) as system:
        pids = [process.pid for process in system.processes.values()]
        system.ends.firing += [firing_group(number) for number in range(GROUPS)]
        sends = [asyncio.create_task(system.send_until_taken(number)) for number in range(GROUPS // 2)]
        await system.eventually(lambda: sum(d.status == 200 for d in system.delivered) >= 5, "some accepted")
        redis.lose_primary()
        assert not await ready(system)
        sends += [asyncio.create_task(system.send_until_taken(number)) for number in range(GROUPS // 2, GROUPS)]
        await asyncio.gather(*sends)
        assert {sent.status for sent in system.delivered} == {200, 503}
        assert max(sent.seconds for sent in system.delivered) < HANGS_SECONDS
        await system.eventually(lambda: ready(system), "readiness goes back")
        assert len(redis.keeps_our_keys()) == 1
        await kept(system)
        assert len(roots(system)) == GROUPS
        assert [process.pid for process in system.processes.values() if process.code is None] == pids


@pytest.mark.parametrize("make", [sentinel, cluster])
async def test_unsafe_settings_of_the_node_with_our_keys_are_refused(
    make: Make, zygote: Zygote, tmp_path: Path
) -> None:
    """Eviction, no append-only file, a clock that is off: of that node alone, and no process starts."""
    async with make(tmp_path) as redis, living_on(redis.url, zygote, tmp_path) as system:
        async with store_at(redis.url) as store:
            for node in redis.nodes:
                if node is not redis.primary:
                    unsafe(node)
            assert await store.check() == []
            unsafe(redis.primary)
            policy, file = await store.check()
        assert ("noeviction" in policy.remedy, "appendonly yes" in file.remedy) == (True, True)
        async with store_at(redis.url, ahead_seconds=PATIENCE_SECONDS) as store:
            assert " s ahead of Redis TIME" in (await store.check())[-1].what
        late = await system.build("worker9")
        late.env["REDIS_URL"] = redis.url
        late.start()
        assert await late.ended() == 1
        assert "axmemory-policy is allkeys-lru" in late.new_output()


@pytest.mark.plan(start=False)
async def test_the_product_works_with_a_login_that_may_do_little(system: System) -> None:
    """A user with the documented rights is enough; a wrong password is said, and shown to nobody."""
    with system.redis.client as client:
        client.execute_command("ACL", "SETUSER", "tailback", *GRANTED)
        client.execute_command("ACL", "SETUSER", "default", "off")
    for process in system.processes.values():
        process.env["REDIS_URL"] = f"redis://tailback:s3cret@127.0.0.1:{system.redis.port}/0"
    await system.start()
    for number in range(5):
        await system.send_until_taken(number)
    await kept(system)
    assert len(roots(system)) == 5
    assert "subscription lost" not in "".join(process.output() for process in system.workers)
    late = await system.build("worker9")
    late.env["REDIS_URL"] = f"redis://tailback:wr0ng@127.0.0.1:{system.redis.port}/0"
    late.start()
    assert await late.ended() == 1
    assert "does not accept the credentials" in late.new_output()
    assert "wr0ng" not in late.new_output()


@pytest.mark.parametrize(
    ("blocked", "says"),
    [
        (("--rename-command", "CONFIG", ""), ""),
        (("--rename-command", "INFO", ""), "switched off there (unknown command 'INFO'"),
        (("--user", "default", "on", "nopass", "~*", "&*", "+@all", "-info"), "+info"),
        (("--user", "default", "on", "nopass", "~*", "resetchannels", "+@all"), ""),
    ],
    ids=["no CONFIG", "no INFO", "INFO forbidden", "no channels"],
)
async def test_a_managed_redis_may_block_config_and_not_info(
    blocked: tuple[str, ...], says: str, tmp_path: Path
) -> None:
    """Everything is read from INFO; where that is blocked, the refusal names it. Without channels work is polled."""
    server = RedisServer(tmp_path / "redis", *blocked)
    await server.start()
    try:
        async with store_at(f"redis://127.0.0.1:{server.port}/0") as store:
            if not says:
                assert await store.check() == []
                await store.commit(Change(wake=("pool:p",), join=(("open", "p"),)))
                assert await store.members("open") == {"p"}
                return
            with pytest.raises(Unreachable) as refused:
                await store.check()
            assert says in str(refused.value)
    finally:
        server.kill()


def unsafe(node: RedisServer) -> None:
    """Set a server up so that it may drop what it accepted."""
    with node.client as client:
        client.config_set("maxmemory-policy", "allkeys-lru")
        client.config_set("appendonly", "no")


@asynccontextmanager
async def store_at(url: str, ahead_seconds: float = 0.0) -> AsyncIterator[RedisStore]:
    """A store whose clock is as far ahead."""
    store = RedisStore(connect(url), Clocks(lambda: time.time() + ahead_seconds, time.monotonic))
    try:
        yield store
    finally:
        await store.aclose()
