"""One connection to a Redis server for all calls of a process; each reply goes to the oldest call without one."""

import asyncio
import contextlib
from collections import deque

from hiredis import ProtocolError, Reader, pack_command
from redis import exceptions as errors
from redis._parsers.base import BaseParser
from redis.asyncio import Redis
from redis.asyncio.connection import AbstractConnection

Word = bytes | str | int | float
_NOTHING = object()


class Pipe:
    """Calls do not wait for each other's replies. When the connection is lost, every call on its way fails."""

    def __init__(self, client: Redis, reply_seconds: float, idle_seconds: float) -> None:
        """`client` makes the connections: it knows login, TLS, and where the primary is.

        A reply takes at most `reply_seconds`; a connection idle for `idle_seconds` is checked before use.
        """
        self._make, self._readers = client.connection_pool.make_connection, client.response_callbacks
        self._reply_seconds, self._idle_seconds = reply_seconds, idle_seconds
        self._wire: _Wire | None = None
        self._opening: asyncio.Task[_Wire] | None = None

    @property
    def open(self) -> bool:
        """Whether a command can be sent at once."""
        wire = self._wire
        return wire is not None and not wire.closed and wire.idle_seconds <= self._idle_seconds

    async def execute_command(self, *args: Word) -> object:
        """The reply to one command, sent once. Raises RedisError."""
        packed = pack_command(args)  # type: ignore[arg-type]  # its stub means one word
        wire = self._wire
        if wire is None or not self.open:
            if self._opening is None or self._opening.done():
                self._opening = asyncio.create_task(self._opened(), name="redis-connect")
            wire = await asyncio.shield(self._opening)
        reply, reader = await wire.asked(packed), self._readers.get(str(args[0]))
        return reader(reply) if reader else reply

    async def aclose(self) -> None:
        """Close the connection."""
        if self._opening is not None and not self._opening.done():
            self._opening.cancel()
            await asyncio.wait({self._opening})
        if self._wire is not None:
            self._wire.fail(errors.ConnectionError("closed"))

    async def _opened(self) -> "_Wire":
        """One attempt for all that wait for it."""
        if self._wire is not None and not self._wire.closed:
            with contextlib.suppress(errors.RedisError):
                await self._wire.asked(pack_command(("PING",)))
                return self._wire
            self._wire.fail(errors.ConnectionError("an idle connection was lost"))
        made: AbstractConnection = self._make()  # type: ignore[no-untyped-call]  # redis-py left it bare
        await made.connect()  # type: ignore[no-untyped-call]  # the same
        self._wire = _Wire(made, self._reply_seconds)
        return self._wire


class _Wire(asyncio.Protocol):
    """An open connection. What is sent while a reply is awaited goes out together at the end of the loop's turn."""

    def __init__(self, connection: AbstractConnection, reply_seconds: float) -> None:
        """Takes over what `connection` has opened."""
        if (writer := connection._writer) is None:
            raise errors.ConnectionError("not connected")
        self.closed = False
        self._loop = asyncio.get_running_loop()
        self._connection, self._transport = connection, writer.transport
        self._reply_seconds = reply_seconds
        self._reader = Reader(replyError=BaseParser.parse_error, notEnoughData=_NOTHING)
        self._waiting: deque[tuple[asyncio.Future[object], float]] = deque()
        self._unsent: list[bytes] = []
        self._heard = self._loop.time()
        self._timer: asyncio.TimerHandle | None = None
        self._transport.set_protocol(self)

    @property
    def idle_seconds(self) -> float:
        """Since the last reply; 0 while one is awaited."""
        return 0.0 if self._waiting else self._loop.time() - self._heard

    async def asked(self, packed: bytes) -> object:
        """The reply to a packed command."""
        if self.closed:
            raise errors.ConnectionError("the connection was closed")
        reply: asyncio.Future[object] = self._loop.create_future()
        if not self._waiting:
            self._transport.write(packed)
        else:
            if not self._unsent:
                self._loop.call_soon(self._flush)
            self._unsent.append(packed)
        self._waiting.append((reply, self._loop.time() + self._reply_seconds))
        if self._timer is None:
            self._timer = self._loop.call_later(self._reply_seconds, self._look)
        answer = await reply
        if isinstance(answer, errors.ReadOnlyError):  # the primary is another one now
            self.fail(errors.ConnectionError("the server became a replica"))
        if isinstance(answer, Exception):
            raise answer
        return answer

    def data_received(self, data: bytes) -> None:
        """Pass each reply to its call; the reply to a call that was given up goes nowhere."""
        self._heard = self._loop.time()
        self._reader.feed(data)
        try:
            while (answer := self._reader.gets()) is not _NOTHING:
                reply, _ = self._waiting.popleft()
                if not reply.done():
                    reply.set_result(answer)
        except (ProtocolError, IndexError) as error:
            self.fail(errors.ConnectionError(f"no reply of Redis ({error})"))

    def connection_lost(self, exc: Exception | None) -> None:
        """Redis or the network closed it."""
        self.fail(errors.ConnectionError(str(exc) if exc else "the server closed the connection"))

    def fail(self, why: errors.RedisError) -> None:
        """Close it, and answer every call on its way with `why`."""
        self.closed = True
        self._unsent.clear()
        self._transport.abort()
        self._connection._writer = self._connection._reader = None
        if self._timer is not None:
            self._timer.cancel()
        while self._waiting:
            reply, _ = self._waiting.popleft()
            if not reply.done():
                reply.set_result(why)

    def _flush(self) -> None:
        if self._unsent:
            self._transport.write(b"".join(self._unsent))
            self._unsent.clear()

    def _look(self) -> None:
        """Fail when the oldest call is without its reply for too long."""
        self._timer = None
        if self._waiting and (left := self._waiting[0][1] - self._loop.time()) > 0:
            self._timer = self._loop.call_later(left, self._look)
        elif self._waiting:
            self.fail(errors.TimeoutError("no reply in time"))
