"""Gives store tests their world: each runs on the fake, on the bundled Valkey and on this machine's redis-server."""

from collections.abc import AsyncIterator, Iterator

import pytest

from tests.adapters.store_world import AnyStore, World
from tests.redis_servers import plain_redis


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
    made = World(url)
    yield made
    for store in made.stores:
        await store.aclose()


@pytest.fixture
def store(world: World) -> AnyStore:
    return world.store()
