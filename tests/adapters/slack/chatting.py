"""The adapter of Slack for one address, closed at the end."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bot.adapters.http.connection import DIRECT, ConnectOptions
from bot.adapters.slack.chat import SlackChat
from bot.adapters.slack.client import open_client, open_session
from bot.core.external import DEFAULT_INSTALLATION
from tests.fakes import FakeClock
from tests.fakes_store import FakeData, FakeStore


@asynccontextmanager
async def chatting(
    url: str,
    options: ConnectOptions = DIRECT,
    clock: FakeClock | None = None,
    data: FakeData | None = None,
    installation: str = DEFAULT_INSTALLATION,
) -> AsyncIterator[SlackChat]:
    clock = clock or FakeClock()
    lanes = FakeStore(clock.now, clock.monotonic, data=data)
    client = open_client("xoxb-demo", f"{url}/api/", open_session(options))
    chat = SlackChat(client, clock.monotonic, lanes, installation)
    try:
        yield chat
    finally:
        await chat.close()
