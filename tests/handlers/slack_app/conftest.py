"""One open incident behind the web process."""

import pytest

from tests.handlers.endpoint import Endpoint


@pytest.fixture
async def endpoint(endpoint: Endpoint) -> Endpoint:
    await endpoint.world.opens()
    return endpoint
