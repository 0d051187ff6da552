"""A web process on working fakes."""

from collections.abc import AsyncIterator

import pytest

from tests.handlers.endpoint import Endpoint


@pytest.fixture
async def endpoint() -> AsyncIterator[Endpoint]:
    """Open, and closed at the end of the test."""
    async with Endpoint() as opened:
        yield opened
