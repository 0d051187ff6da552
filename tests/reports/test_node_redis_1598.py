"""redis/node-redis#1598: a load balancer forgets idle connections and tells nobody; what is sent on them is lost."""

import asyncio
from pathlib import Path

import redis.asyncio

from bot.adapters.redis.calls import RedisLink
from bot.adapters.redis.connect import LIMITS, PIPELINES
from bot.adapters.redis.together import Together
from tests.answering import Ends, Listeners

SILENCE_SECONDS = 0.2
"""How long the client waits for a reply on a forgotten connection."""


class Balancer:
    """Carries bytes between a client and a server, until it forgets the connection: then it drops them."""

    def __init__(self, socket: Path) -> None:
        self._socket, self._known = socket, set[asyncio.StreamWriter]()
        self.opened = 0

    def forget(self) -> None:
        """No end is told."""
        self._known.clear()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        up: Ends = await asyncio.open_unix_connection(self._socket)
        self._known.add(writer)
        self.opened += 1
        try:
            await asyncio.gather(self._carried(writer, reader, up[1]), self._carried(writer, up[0], writer))
        except (OSError, asyncio.CancelledError):
            pass
        finally:
            for end in (writer, up[1]):
                end.transport.abort()

    async def _carried(
        self, who: asyncio.StreamWriter, source: asyncio.StreamReader, target: asyncio.StreamWriter
    ) -> None:
        while data := await source.read(1 << 16):
            if who in self._known:
                target.write(data)
        target.transport.abort()


async def test_a_call_after_a_silence_is_carried_out_once(redis_url: str) -> None:
    """However many connections were forgotten, the first call finds a new one within its time."""
    balancer, listeners = Balancer(Path(redis_url.removeprefix("unix://"))), Listeners()
    port = await listeners.listen(balancer.serve)
    limits = {**LIMITS, "socket_timeout": SILENCE_SECONDS, "health_check_interval": 0}
    client = redis.asyncio.Redis(port=port, **limits)
    one, other = (RedisLink(Together(client, PIPELINES, idle_seconds=0.0)) for _ in range(2))
    await asyncio.gather(one.read("GET", "{tailback}:x"), other.read("GET", "{tailback}:x"))
    assert balancer.opened == 2
    balancer.forget()
    assert await one.read("INCR", "{tailback}:x") == 1
    assert await other.read("INCR", "{tailback}:x") == 2
    await client.aclose()
    await listeners.__aexit__()
