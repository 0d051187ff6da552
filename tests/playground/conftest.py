"""The workspace of most tests here: alone, or with a Bolt app."""

from collections.abc import AsyncIterator

import pytest

from tests.playground.slack_kit import Kit, standing
from tests.playground.slack_with_app import SlackWithApp, slack_with_app


@pytest.fixture
async def slack() -> AsyncIterator[Kit]:
    async with standing() as kit:
        yield kit


@pytest.fixture
async def context() -> AsyncIterator[SlackWithApp]:
    async with slack_with_app() as standing:
        yield standing
