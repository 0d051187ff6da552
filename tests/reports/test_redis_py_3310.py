"""redis/redis-py#3310: every node of a Cluster gets another address, and the client asks the former ones for ever."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import redis

from bot.adapters.redis.commit import Clocks
from bot.adapters.redis.connect import connect
from bot.adapters.redis.store import RedisStore
from bot.core.record import Change
from bot.ports import Unreachable
from tests.faults.frames import REDIS
from tests.faults.wires import Wire
from tests.patience import eventually
from tests.ports import free_port
from tests.redis_servers import running, whole


@contextmanager
def node(place: Path) -> Iterator[int]:
    """The one node of a Cluster, at another port than before."""
    port = free_port()
    url = f"redis://127.0.0.1:{port}"
    options = ("--cluster-enabled", "yes", "--appendonly", "yes", "--save", "", "--dir", f"{place}")
    with running("redis-server", "--port", f"{port}", *options, url=url):
        with redis.Redis.from_url(url) as client:
            if client.cluster("info")["cluster_slots_assigned"] == "0":
                client.execute_command("CLUSTER", "ADDSLOTSRANGE", 0, 16383)
            whole(client)
        yield port


@pytest.mark.needs("redis-server")
async def test_a_cluster_is_found_again_by_its_name(tmp_path: Path) -> None:
    """The name leads to a node as long as there is one; the nodes tell their addresses of now."""
    place = tmp_path / "node"
    place.mkdir()
    port = 0
    async with Wire(REDIS, lambda: port) as wire:
        url = f"redis+cluster://127.0.0.1:{await wire.port_for('a')}"
        store = RedisStore(connect(url), Clocks(time.time, time.monotonic))
        with node(place) as port:
            await eventually(lambda: stored(store, "i1"), "a commit")
        wire.cut()
        wire.mend()
        with node(place) as port:
            await eventually(lambda: stored(store, "i2"), "a commit")
            assert await store.members("open") == {"i1", "i2"}
        await store.aclose()


async def stored(store: RedisStore, name: str) -> bool:
    """Whether a commit is taken; a Cluster needs a moment to begin."""
    try:
        await store.commit(Change(join=(("open", name),)))
    except Unreachable:
        return False
    return True
