"""A web process with one open incident, for reports of what Slack delivers."""

from collections.abc import AsyncIterator

import pytest

from tests.handlers.endpoint import Endpoint


@pytest.fixture
async def endpoint() -> AsyncIterator[Endpoint]:
    async with Endpoint() as opened:
        await opened.world.opens()
        yield opened
