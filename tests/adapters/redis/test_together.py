"""Whatever the schedule of callers, replies and failures: each call ends with its own reply, and is sent once."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import Any

import redis.asyncio
from hypothesis import given
from hypothesis import strategies as st

from bot.adapters.redis.together import Together
from tests import virtual_time
from tests.examples import TWICE

LIMIT_SECONDS = 1.8
"""How long a caller waits at most (bot/adapters/redis/calls.py)."""
REPLY_SECONDS = st.sampled_from([0.0, 0.001, 0.02, 0.5, 3.0])
Call = tuple[float, int, float | None]
"""After so many seconds, and so many turns of the loop, a call begins, and is given up after that many seconds."""


class Server:
    """Answers each pipeline after its time with the words that it got; or the connection fails."""

    def __init__(self, weather: Sequence[tuple[float, bool]]) -> None:
        self.weather, self.sent = list(weather), Counter[object]()

    def pipeline(self, transaction: bool) -> "Pipeline":
        assert not transaction
        return Pipeline(self, *(self.weather.pop(0) if self.weather else (0.0, True)))

    async def ping(self) -> bool:
        return True


class Pipeline:
    def __init__(self, server: Server, seconds: float, works: bool) -> None:
        self._server, self._seconds, self._works, self._words = server, seconds, works, list[object]()

    def execute_command(self, *words: object) -> None:
        self._words.append(words[-1])

    async def execute(self, raise_on_error: bool) -> list[object]:
        assert not raise_on_error
        self._server.sent.update(self._words)
        await asyncio.sleep(self._seconds)
        if not self._works:
            raise redis.exceptions.ConnectionError("reset")
        return list(self._words)


CALLS = st.lists(
    st.tuples(st.sampled_from([0.0, 0.01, 1.0]), st.integers(0, 3), st.sampled_from([None, 0.0, 0.0005, 0.02])),
    min_size=1,
    max_size=12,
)


@TWICE
@given(st.lists(CALLS, min_size=1, max_size=3), st.lists(st.tuples(REPLY_SECONDS, st.booleans())), st.integers(1, 3))
def test_every_call_ends_with_its_own_reply_and_is_sent_once(
    bursts: list[list[Call]], weather: list[tuple[float, bool]], most: int
) -> None:
    """Once nobody waits any more, a further call is answered: no schedule leaves calls behind that nobody sends."""

    async def story() -> None:
        server: Any = Server(weather)
        calls = Together(server, most, idle_seconds=15.0)

        async def asks(word: bytes, after: float, turns: int, gives_up: float | None) -> None:
            await asyncio.sleep(after)
            for _ in range(turns):
                await asyncio.sleep(0)
            try:
                async with asyncio.timeout(LIMIT_SECONDS if gives_up is None else gives_up):
                    assert await calls.execute_command("ECHO", word) == word
            except (TimeoutError, redis.exceptions.ConnectionError):
                return

        for number, burst in enumerate(bursts):
            named = enumerate(burst)
            await asyncio.gather(*(asks(f"{number}.{which}".encode(), *call) for which, call in named))
        await asyncio.sleep(2 * LIMIT_SECONDS)
        server.weather.clear()
        async with asyncio.timeout(LIMIT_SECONDS):
            assert await calls.execute_command("ECHO", b"last") == b"last"
        assert set(server.sent.values()) == {1}

    virtual_time.run(story())
