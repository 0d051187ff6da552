"""The workspace of most tests here: alone, or with a Bolt app."""

from collections.abc import AsyncIterator

import pytest

from tests.playground.slack_kit import Kit, SlackWithApp, slack_with_app, standing


@pytest.fixture
async def slack() -> AsyncIterator[Kit]:
    async with standing() as kit:
        yield kit


@pytest.fixture
async def context() -> AsyncIterator[SlackWithApp]:
    async with slack_with_app() as standing:
        yield standing
