"""Socket Mode begins anew when it is deaf, and a new handler asks for a new address."""

import asyncio
import contextlib
from collections.abc import Sequence
from typing import Any

import pytest

from bot.config import load
from bot.context.context import Context
from handlers.slack_app.socket_mode import DEAF_SECONDS, LOOK_SECONDS, Listening
from tests import virtual_time
from tests.fakes import FakeChat, FakeClock
from tests.fakes_store import FakeStore


class Handler:
    """A handler whose connection is there, or not, look by look; the last look stays."""

    def __init__(self, states: Sequence[bool], *, refuses: bool = False, stuck: bool = False) -> None:
        self._states, self._refuses, self._stuck = [*states], refuses, stuck
        self.client, self.closed = self, False
        self.on_message_listeners: list[Any] = []

    async def connect_async(self) -> None:
        if self._refuses:
            raise ConnectionError("not now")

    async def is_connected(self) -> bool:
        return self._states.pop(0) if len(self._states) > 1 else self._states[0]

    async def close_async(self) -> None:
        self.closed = True
        if self._stuck:
            await asyncio.Event().wait()


async def listened(handlers: Sequence[Handler], seconds: float) -> tuple[int, str]:
    """After so long: how many handlers were made, and what /readyz says."""
    clock = FakeClock()
    store, chat = FakeStore(clock.now, clock.monotonic), FakeChat(clock)
    loop = asyncio.get_running_loop()
    context = Context(load({}), store, chat, {}, {}, {}, clock.now, loop.time, {}, lambda one: one)
    left = [*handlers]

    async def made() -> Handler:
        return left.pop(0) if len(left) > 1 else left[0]

    task = asyncio.create_task(Listening(context, made).run())
    await asyncio.sleep(seconds)
    state = context.health.socket_mode
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
    return sum(handler.closed for handler in handlers), state


@pytest.mark.parametrize("stuck", [False, True])
def test_a_deaf_connection_is_given_up_for_a_new_one(stuck: bool) -> None:
    """Also when it does not even close; /readyz says so until then."""
    deaf, well = Handler([True, True, False], stuck=stuck), Handler([True])
    state = virtual_time.run(listened([deaf, well], DEAF_SECONDS / 2))
    assert state[1] == "Socket Mode is not connected; trying again"
    assert virtual_time.run(listened([Handler([True, True, False], stuck=stuck), well], 3 * DEAF_SECONDS)) == (2, "")


def test_a_connection_that_comes_and_goes_is_left_to_the_sdk() -> None:
    """It connects anew by itself when Slack asks it to."""
    states = [number % 8 == 0 for number in range(int(5 * DEAF_SECONDS / LOOK_SECONDS))]
    handler = Handler([*states, True])
    assert virtual_time.run(listened([handler], 6 * DEAF_SECONDS)) == (1, "")


def test_a_refused_connection_is_tried_again() -> None:
    """What the SDK raises ends nothing."""
    refused = [Handler([False], refuses=True) for _ in range(3)]
    closed, state = virtual_time.run(listened(refused, 2.5 * (DEAF_SECONDS + LOOK_SECONDS)))
    assert (closed, state) == (3, "Socket Mode is not connected; trying again")
