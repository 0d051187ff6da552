"""A web process on working fakes, with one open incident behind it."""

from collections.abc import AsyncIterator

import pytest

from tests.handlers.endpoint import Endpoint


@pytest.fixture
async def endpoint() -> AsyncIterator[Endpoint]:
    async with Endpoint() as made:
        await made.world.opens()
        yield made
