"""The three wires, each with an interposer: it passes, holds, delays, cuts, or drops one request or one reply.

So `kill -9` at a named point is an event on a wire: it works with any implementation, and no hook is in the product.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from tests.answering import Ends, Listeners, joined
from tests.faults.frames import Protocol, Request
from tests.patience import PATIENCE_SECONDS

Match = Callable[[Request], bool]
STREAM_BYTES = 1 << 22


@dataclass(slots=True, eq=False)
class Held:
    """A request, or its reply, that waits on the wire until the driver decides."""

    reached: asyncio.Event = field(default_factory=asyncio.Event)
    request: Request | None = None
    _passes: asyncio.Future[bool] = field(default_factory=lambda: asyncio.get_running_loop().create_future())

    async def waits(self, within: float = PATIENCE_SECONDS) -> Request:
        """Wait until something is held; gives the request."""
        async with asyncio.timeout(within):
            await self.reached.wait()
        assert self.request is not None
        return self.request

    def release(self) -> None:
        """Let it go on, even when its sender is dead by now."""
        if not self._passes.done():
            self._passes.set_result(True)

    def drop(self) -> None:
        """Lose it, and cut the connection."""
        if not self._passes.done():
            self._passes.set_result(False)

    async def decided(self, request: Request) -> bool:
        """Say what is held and wait: True to go on."""
        self.request = request
        self.reached.set()
        return await self._passes


@dataclass(slots=True, eq=False)
class Rule:
    """One line of what goes wrong."""

    match: Match
    passes: Callable[[Request], Awaitable[bool]]
    """Whether what fits goes on, said when that is known; if not, the connection is cut."""
    reply: bool = False
    """Whether the server's reply is meant, and not the request."""
    times: int | None = 1
    """None: until it is removed."""


class Wire:
    """Between the product's processes, each by a port of its own, and one server."""

    def __init__(self, protocol: Protocol, upstream: Callable[[], int | Path]) -> None:
        """`upstream` gives the server's port on loopback at this moment, or its Unix socket."""
        self.seen: list[Request] = []
        self.rules: list[Rule] = []
        self.broken = False
        self._protocol, self._upstream = protocol, upstream
        self._listeners = Listeners()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._listeners.__aexit__()

    async def port_for(self, who: str) -> int:
        """A port of its own for one process, so that the wire knows who asks."""

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                await self._serve(who, reader, writer)
            except (OSError, EOFError, asyncio.CancelledError, asyncio.LimitOverrunError):
                pass
            finally:
                writer.transport.abort()

        return await self._listeners.listen(serve, limit=STREAM_BYTES)

    def hold(self, match: Match, *, reply: bool = False) -> Held:
        """Stop the next fitting request before the server sees it, or its reply before the client does."""
        held = Held()
        self.rules.append(Rule(match, held.decided, reply))
        return held

    def drop(self, match: Match, times: int | None = 1, *, reply: bool = False) -> None:
        """Lose fitting requests, or only their replies, and cut the connection."""

        async def never(_: Request) -> bool:
            return False

        self.rules.append(Rule(match, never, reply, times))

    def delay(self, match: Match, seconds: float) -> None:
        """Pass fitting requests on late."""

        async def late(_: Request) -> bool:
            await asyncio.sleep(seconds)
            return True

        self.rules.append(Rule(match, late, times=None))

    def cut(self) -> None:
        """End every connection and take no new one until `mend`."""
        self.broken = True
        self._listeners.end_connections()

    def mend(self) -> None:
        """Work as before, without rules."""
        self.broken = False
        self.rules.clear()

    def _taken(self, request: Request) -> Rule | None:
        for rule in self.rules:
            if not rule.match(request):
                continue
            if rule.times is not None:
                rule.times -= 1
                if rule.times <= 0:
                    self.rules.remove(rule)
            return rule
        return None

    async def _serve(self, who: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.broken:
            return
        up_reader, up_writer = await self._opened()
        try:
            while (request := await self._protocol.request(reader, who)) is not None:
                self.seen.append(request)
                if self._protocol.may_rest and up_reader.at_eof():
                    up_writer.transport.abort()
                    up_reader, up_writer = await self._opened()
                if self._protocol.lasting(request):
                    up_writer.write(request.raw)
                    await joined((reader, writer), (up_reader, up_writer))
                    return
                reply = await self._answered(request, up_reader, up_writer)
                if reply is None:
                    return
                writer.write(reply)
                await writer.drain()
        finally:
            up_writer.transport.abort()

    async def _opened(self) -> Ends:
        there = self._upstream()
        if isinstance(there, Path):
            return await asyncio.open_unix_connection(there, limit=STREAM_BYTES)
        return await asyncio.open_connection("127.0.0.1", there, limit=STREAM_BYTES)

    async def _answered(
        self, request: Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bytes | None:
        """The server's reply; None when the connection is to be cut."""
        rule = self._taken(request)
        if rule and not rule.reply and not await rule.passes(request):
            return None
        writer.write(request.raw)
        reply = await self._protocol.reply(reader)
        return None if rule and rule.reply and not await rule.passes(request) else reply
