"""Gives journeys their usual world: 14 jobs wait for linux.2xlarge, and the other pools are quiet."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

from tests.journeys.setup import LINUX
from tests.journeys.world import World, running


@pytest_asyncio.fixture
async def world(tmp_path: Path, redis_url: str) -> AsyncIterator[World]:
    """An installation of its own, for which no alert has fired yet."""
    async with running(tmp_path, redis_url) as made:
        made.farm.queue(LINUX, 14, 114)
        yield made
