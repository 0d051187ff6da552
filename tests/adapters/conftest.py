"""Gives store tests their world (the fake, Valkey and this machine's redis-server), and AWS made-up credentials."""

from collections.abc import AsyncIterator, Iterator

import pytest

from tests.adapters.github import world as github
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
    await made.aclose()


@pytest.fixture
async def w() -> AsyncIterator[github.World]:
    """A source of GitHub's figures with its usual table, in front of a stand-in."""
    async with github.world() as made:
        yield made


@pytest.fixture
def store(world: World) -> AnyStore:
    return world.store()


@pytest.fixture(autouse=True)
def aws_credentials(made_up_aws: None) -> None:
    """No test here asks the AWS of this machine."""
