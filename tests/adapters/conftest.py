"""Gives store tests their world: each runs on the fake, on the bundled Valkey and on this machine's redis-server."""

from collections.abc import AsyncIterator, Iterator

import pytest
import redis

from tests.adapters.redis.servers import plain_redis
from tests.adapters.store_world import AnyStore, World


@pytest.fixture(scope="session")
def older_redis() -> Iterator[str]:
    with plain_redis() as url:
        yield url


@pytest.fixture(params=["fake", "bundled", pytest.param("older", marks=pytest.mark.needs("redis-server"))])
async def world(request: pytest.FixtureRequest) -> AsyncIterator[World]:
    url = None
    if request.param == "bundled":
        url = request.getfixturevalue("redis_url")
    if request.param == "older":
        url = request.getfixturevalue("older_redis")
        with redis.Redis.from_url(url) as client:
            client.flushall()
    made = World(url)
    yield made
    for store in made.stores:
        await store.aclose()


@pytest.fixture
def store(world: World) -> AnyStore:
    return world.store()
