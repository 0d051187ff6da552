"""Gives store tests their world (the fake, Valkey and this machine's redis-server), and others a made-up AWS."""

from collections.abc import AsyncIterator, Iterator

import httpx
import pytest
from moto.server import ThreadedMotoServer

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


@pytest.fixture(scope="session")
def moto_server() -> Iterator[str]:
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    yield "http://{}:{}".format(*server.get_host_and_port())
    server.stop()


@pytest.fixture
def moto_url(moto_server: str) -> str:
    """An AWS without anything in it."""
    httpx.post(f"{moto_server}/moto-api/reset")
    return moto_server
