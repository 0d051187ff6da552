"""Socket Mode's watchdog: it trusts what was heard, not what the SDK thinks."""

from collections.abc import Awaitable, Callable

from bot.config import load
from bot.context.context import Context
from handlers.slack_app.socket_mode import DEAF_SECONDS, Watch
from tests.fakes import FakeChat, FakeClock
from tests.fakes_store import FakeStore


class DeafClient:
    """A connection of which the SDK thinks well."""

    def __init__(self, *, refuses: bool = False) -> None:
        self.wss_uri: str | None = "wss://old"
        self.last_ping_pong_time: float | None = None
        self.on_message_listeners: list[Callable[[object], Awaitable[None]]] = []
        self.connects, self.refuses = 0, refuses

    async def is_connected(self) -> bool:
        return True

    async def connect_to_new_endpoint(self, force: bool = False) -> None:
        self.connects += 1
        if self.refuses:
            raise ConnectionError("not now")

    async def hear(self) -> None:
        for listener in self.on_message_listeners:
            await listener("hello")


def desk_at(clock: FakeClock) -> Context:
    """A context with nothing in it but clocks."""
    store = FakeStore(clock.now, clock.monotonic)
    chat = FakeChat(clock)
    return Context(load({}), store, chat, {}, {}, {}, clock.now, clock.monotonic, {}, lambda prefix: f"{prefix}1")


async def test_a_connection_that_hears_nothing_is_made_anew() -> None:
    """Neither hello, envelope nor pong for 30 s: a new address is asked for, and /readyz says so until then."""
    clock, client = FakeClock(), DeafClient()
    context = desk_at(clock)
    watch = Watch(context, client)
    clock.advance(DEAF_SECONDS + 1)
    await watch.check()
    assert client.connects == 1
    assert client.wss_uri is None
    assert "heard nothing for 31 s" in context.health.socket_mode
    await client.hear()
    await watch.check()
    assert not context.health.socket_mode
    assert client.connects == 1


async def test_a_pong_or_an_envelope_is_a_sign_of_life() -> None:
    """A quiet workspace is not a deaf connection."""
    clock, client = FakeClock(), DeafClient()
    client.last_ping_pong_time = clock.now()
    watch = Watch(desk_at(clock), client)
    for _ in range(5):
        clock.advance(DEAF_SECONDS - 1)
        client.last_ping_pong_time = clock.now() - 1
        await watch.check()
    for _ in range(5):
        clock.advance(DEAF_SECONDS - 1)
        await client.hear()
        await watch.check()
    assert client.connects == 0


async def test_a_wall_clock_that_was_set_makes_no_connection_deaf() -> None:
    """The SDK notes pongs by the machine's own time; that one is an hour off says nothing of the connection (RT-3)."""
    clock, client = FakeClock(), DeafClient()
    client.last_ping_pong_time = clock.now() + 3600
    watch = Watch(desk_at(clock), client)
    for _ in range(5):
        clock.advance(DEAF_SECONDS - 1)
        client.last_ping_pong_time += DEAF_SECONDS - 1
        await watch.check()
    assert client.connects == 0


async def test_a_ping_that_nobody_answers_is_no_sign_of_life() -> None:
    """The SDK forgets its last pong when it gives a connection up, and begins with the time of its next ping."""
    clock, client = FakeClock(), DeafClient()
    watch = Watch(desk_at(clock), client)
    for number in range(1, 9):
        clock.advance(DEAF_SECONDS / 4)
        client.last_ping_pong_time = None if number % 2 else clock.now()
        await watch.check()
    assert client.connects == 1


async def test_a_refused_connection_is_tried_again() -> None:
    """What the SDK raises ends nothing: the next time is one period later."""
    clock, client = FakeClock(), DeafClient(refuses=True)
    watch = Watch(desk_at(clock), client)
    for _ in range(3):
        clock.advance(DEAF_SECONDS + 1)
        await watch.check()
    assert client.connects == 3
