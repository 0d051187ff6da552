"""Socket Mode's watchdog: it trusts what was heard, not what the SDK thinks."""

from collections.abc import Awaitable, Callable

import pytest

from bot.config import load
from bot.context.context import Context
from handlers.slack_app.socket_mode import DEAF_SECONDS, Watch
from tests.fakes import FakeChat, FakeClock
from tests.fakes_store import FakeStore


class DeafClient:
    """A connection of which the SDK thinks well, and its watch."""

    def __init__(self, pong: float | None = None, *, refuses: bool = False) -> None:
        """`pong`: seconds by which the last pong is ahead of the clock."""
        self.clock = clock = FakeClock()
        self.wss_uri: str | None = "wss://old"
        self.last_ping_pong_time: float | None = None if pong is None else clock.now() + pong
        self.on_message_listeners: list[Callable[[object], Awaitable[None]]] = []
        self.connects, self.refuses = 0, refuses
        store, chat = FakeStore(clock.now, clock.monotonic), FakeChat(clock)
        self.context = Context(load({}), store, chat, {}, {}, {}, clock.now, clock.monotonic, {}, lambda one: one)
        self.watch = Watch(self.context, self)

    async def is_connected(self) -> bool:
        return True

    async def connect_to_new_endpoint(self, force: bool = False) -> None:
        self.connects += 1
        if self.refuses:
            raise ConnectionError("not now")

    async def hear(self) -> None:
        for listener in self.on_message_listeners:
            await listener("hello")

    async def after(self, seconds: float) -> None:
        self.clock.advance(seconds)
        await self.watch.check()


async def test_a_connection_that_hears_nothing_is_made_anew() -> None:
    """Neither hello, envelope nor pong for 30 s: a new address is asked for, and /readyz says so until then."""
    client = DeafClient()
    await client.after(DEAF_SECONDS + 1)
    assert (client.connects, client.wss_uri) == (1, None)
    assert "heard nothing for 31 s" in client.context.health.socket_mode
    await client.hear()
    await client.after(0)
    assert not client.context.health.socket_mode
    assert client.connects == 1


@pytest.mark.parametrize("ahead", [0.0, 3600.0])
async def test_a_pong_or_an_envelope_is_a_sign_of_life(ahead: float) -> None:
    """A quiet workspace is not a deaf connection. The SDK notes pongs by the machine's own time; that one is an hour
    off says nothing of the connection (RT-3)."""
    client = DeafClient(ahead)
    for _ in range(5):
        client.last_ping_pong_time = (client.last_ping_pong_time or 0.0) + DEAF_SECONDS - 1
        await client.after(DEAF_SECONDS - 1)
    for _ in range(5):
        await client.hear()
        await client.after(DEAF_SECONDS - 1)
    assert client.connects == 0


async def test_a_ping_that_nobody_answers_is_no_sign_of_life() -> None:
    """The SDK forgets its last pong when it gives a connection up, and begins with the time of its next ping."""
    client = DeafClient()
    for number in range(1, 9):
        client.last_ping_pong_time = None if number % 2 else client.clock.now()
        await client.after(DEAF_SECONDS / 4)
    assert client.connects == 1


async def test_a_refused_connection_is_tried_again() -> None:
    """What the SDK raises ends nothing: the next time is one period later."""
    client = DeafClient(refuses=True)
    for _ in range(3):
        await client.after(DEAF_SECONDS + 1)
    assert client.connects == 3
