"""A web process on working fakes."""

from collections.abc import AsyncIterator

import pytest

from tests.handlers.endpoint import Endpoint


@pytest.fixture
async def endpoint() -> AsyncIterator[Endpoint]:
    async with Endpoint() as opened:
        yield opened
