"""REDIS_URL in all its shapes: understood, refused with a remedy, and tried on a real Sentinel and Cluster."""

import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from bot.adapters.redis.commit import Clocks
from bot.adapters.redis.connect import REPLY_SECONDS, connect
from bot.adapters.redis.store import RedisStore
from bot.config import ConfigError
from bot.core.pool.pool import Pool
from bot.core.record import Change, KnownGroup, Put, Stored
from tests.faults.topologies import Topology, cluster, sentinel

UNREADABLE = "login, host, port, database or an option cannot be read"
CLOCKS = Clocks(time.time, time.monotonic)


@pytest.mark.parametrize(
    ("url", "what"),
    [
        ("http://host", "scheme 'http'"),
        ("localhost:6379", "scheme 'localhost'"),
        ("redis+sentinel://host:26379", "name of the Sentinel service is missing"),
        ("redis+cluster://", "no host is given"),
        ("redis+sentinel://host:x/service", UNREADABLE),
        ("redis://host:x", UNREADABLE),
        ("redis://host:6379/tailback", UNREADABLE),
        ("redis://host?socket_timeout=soon", UNREADABLE),
        ("redis://host?no_such_option=1", UNREADABLE),
        *((f"redis://:s3cr{mark}et@host:6379", UNREADABLE) for mark in "/?#[]"),
        *((f"redis+{kind}://:s3cr{mark}et@host/jobs", UNREADABLE) for kind in ("sentinel", "cluster") for mark in "/["),
    ],
)
def test_a_url_that_cannot_be_understood_is_refused_with_the_shapes_that_can(url: str, what: str) -> None:
    """The problem names REDIS_URL, what is wrong, and how to write it; no part of a password."""
    with pytest.raises(ConfigError, match="REDIS_URL: ") as refused:
        connect(url)
    assert what in str(refused.value)
    assert "redis+sentinel://host1:26379" in str(refused.value)
    assert "s3cr" not in str(refused.value)


def test_our_limits_win_over_the_urls() -> None:
    """A URL cannot bring the long time-outs and the retries back (docs/design/measurements.md#client-retries)."""
    clients = connect("redis://u:p%40w@host:7000/3?socket_timeout=60&protocol=3&retry_on_timeout=yes")
    kwargs = clients.listener().connection_pool.connection_kwargs
    assert (kwargs["socket_timeout"], kwargs["protocol"], kwargs["retry"].get_retries()) == (REPLY_SECONDS, 2, 0)
    assert [kwargs[name] for name in ("host", "port", "db", "username", "password")] == ["host", 7000, 3, "u", "p@w"]


async def works(url: str) -> None:
    store = RedisStore(connect(url), CLOCKS)
    await store.commit(Change(puts=(Put(Stored(Pool("p"), 0), Pool("p"), 0.0),), join=(("open", "p"),), once=("m",)))
    assert [claim.id for claim in (await store.claim(5)).claims] == ["p"]
    assert await store.get_many(Pool, ["p", "q"]) == {"p": Stored(Pool("p"), 1)}
    assert await store.members("open") == {"p"}
    assert await store.open_under("k", "m", "l") == KnownGroup(repeated=True)
    assert await store.audit_trail() == []
    assert await store.acquire_slot("C1", "p", 1.0, 1, urgent=False) == 0
    while await store.woken(0.3):
        pass
    other = RedisStore(connect(url), CLOCKS)
    await other.commit(Change(wake=("pool:q",), listed=(("jobs:gpu", "1", 60.0), ("heard", "5", 60.0))))
    assert await store.listed("jobs:gpu") == ("1",)
    assert await store.woken(2.0)
    assert [problem for problem in await store.check() if "append-only" not in problem.what] == []
    await store.aclose()
    await other.aclose()


@pytest.mark.needs("redis-server")
@pytest.mark.needs("redis-sentinel")
@pytest.mark.parametrize("make", [sentinel, cluster])
async def test_the_store_works_through_sentinel_and_on_a_cluster(
    make: Callable[[Path], AbstractAsyncContextManager[Topology]], tmp_path: Path
) -> None:
    """The primary is asked for by its service name; every script stays inside one slot."""
    async with make(tmp_path) as redis:
        await works(redis.url)
