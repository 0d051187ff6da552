"""A web process on working fakes."""

from collections.abc import AsyncIterator

import pytest

from tests.handlers.endpoint import Door


@pytest.fixture
async def door() -> AsyncIterator[Door]:
    """Open, and closed at the end of the test."""
    async with Door() as opened:
        yield opened
