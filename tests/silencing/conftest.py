"""What the tests of silences and requests begin with."""

import pytest

from tests.world import World


@pytest.fixture
async def world() -> World:
    """A whole Tailback on working fakes, with one open incident."""
    return await World.opened()
