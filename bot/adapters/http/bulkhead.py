"""The connections to one back end: no other back end waits for them, and no call is cancelled while it connects."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import httpx
import structlog

from bot.adapters.http.connection import IN_FLIGHT

CONNECT_SECONDS = 2.0
SILENT_SECONDS = 120.0
"""Two periods of a watched pool, which is asked once a minute."""
CONNECTED = "http"
"""How the events of a call begin when its connection is there; before, they begin with `connection` (httpx, trace)."""
T = TypeVar("T")
Trace = Callable[[str, Mapping[str, object]], Coroutine[Any, Any, None]]
Send = Callable[[httpx.AsyncClient, Trace], Coroutine[Any, Any, T]]
"""A call by a client, to the last byte of its answer."""

log = structlog.get_logger()


class NoTurnError(TimeoutError):
    """Too many other calls were on their way; this one was not begun."""


@dataclass(slots=True, eq=False)
class _Call:
    """One call on its way, which may be given up at any time and is cut off only when it has a connection."""

    client: httpx.AsyncClient
    task: asyncio.Task[Any] | None = None
    connected: bool = False
    given_up: bool = False

    async def trace(self, event: str, _: Mapping[str, object]) -> None:
        if not self.connected and event.startswith(CONNECTED):
            self.connected = True
            if self.given_up:
                self._cut_off()

    def give_up(self) -> None:
        """Cut it off once: httpx cleans up after that."""
        self.given_up = True
        if self.connected:
            self._cut_off()

    def _cut_off(self) -> None:
        if self.task is not None:
            self.task.cancel()


class Bulkhead:
    """A call that was begun ends by itself, also when nobody waits for it any more.

    httpx loses the connection of a call that is cancelled while it connects (httpcore#1093). So one that takes too long
    is cut off after that. It waits for its turn only while more is left of its limit than connecting may take.
    """

    def __init__(self, opened: Callable[[], httpx.AsyncClient], host: str, port: int, steps: int = 1) -> None:
        """`opened` makes a client; `host` and `port` are where it connects first, in so many `steps` of time limits."""
        self._opened, self._place, self._steps = opened, (host, port), steps
        self._client = opened()
        self._turns = asyncio.Semaphore(IN_FLIGHT)
        self._calls: set[_Call] = set()
        self._beside: set[asyncio.Task[None]] = set()
        self._silent_since: float | None = None

    async def settled(self) -> None:
        """Return when it does nothing beside the calls."""
        if self._beside:
            await asyncio.wait(self._beside)

    def connect_seconds(self, total: float) -> float:
        """The limit of each step of connecting: TCP, TLS, and each of them again behind a proxy."""
        return min(CONNECT_SECONDS, total / 2 / self._steps)

    async def called(self, send: Send[T], total: float) -> tuple[T, float]:
        """What `send` gives, and how long it took without waiting for its turn.

        Raises NoTurnError, TimeoutError after `total` seconds, or what `send` raises.
        """
        loop = asyncio.get_running_loop()
        ends = loop.time() + total
        try:
            async with asyncio.timeout_at(ends - self._steps * self.connect_seconds(total)):
                await self._turns.acquire()
        except TimeoutError:
            raise NoTurnError from None
        began, call = loop.time(), _Call(self._client)
        task = call.task = loop.create_task(send(call.client, call.trace), name="http")
        self._calls.add(call)
        limit = loop.call_at(ends, call.give_up)
        task.add_done_callback(partial(self._ended, call, limit))
        try:
            await asyncio.wait(
                {task}, timeout=ends - began
            )  # a caller that is cancelled here leaves the call to its end
            if not task.done() or task.cancelled():
                raise TimeoutError
            return task.result(), loop.time() - began
        finally:
            del task  # the same for this frame

    async def aclose(self) -> None:
        """End every call, one that still connects after that, then close the connections."""
        waiting = {*self._beside, *(call.task for call in self._calls if call.task)}
        for call in tuple(self._calls):
            call.give_up()
        for task in self._beside:
            task.cancel()
        if waiting:
            await asyncio.wait(waiting)
        await self._client.aclose()

    def _ended(self, call: _Call, limit: asyncio.TimerHandle, task: asyncio.Task[Any]) -> None:
        limit.cancel()
        call.task = None  # else a failure and its request keep each other until a look for garbage
        self._calls.discard(call)
        self._turns.release()
        error = None if task.cancelled() else task.exception()
        if isinstance(error, httpx.PoolTimeout):
            self._replace(call.client, "its connections were lost")
        elif task.cancelled() or isinstance(error, httpx.TimeoutException):
            self._unanswered()
        elif error is None:
            self._silent_since = None
        self._close_if_old(call.client)

    def _unanswered(self) -> None:
        """After too long a silence, look whether the back end or its client is at fault."""
        now = asyncio.get_running_loop().time()
        self._silent_since = now if self._silent_since is None else self._silent_since
        if now - self._silent_since > SILENT_SECONDS and not self._beside:
            self._do(self._looked())

    async def _looked(self) -> None:
        client = self._client
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                _, writer = await asyncio.open_connection(*self._place)
        except OSError:
            return
        writer.close()
        self._silent_since = None
        self._replace(client, "nothing was answered, though it can be reached")

    def _replace(self, client: httpx.AsyncClient, why: str) -> None:
        """Call by a new client from now on; the old one is closed when its last call has ended."""
        if client is self._client:
            log.warning("connections replaced", host=self._place[0], why=why)
            self._client = self._opened()
            self._close_if_old(client)

    def _close_if_old(self, client: httpx.AsyncClient) -> None:
        if client is not self._client and all(call.client is not client for call in self._calls):
            self._do(client.aclose())

    def _do(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work, name="http-beside")
        self._beside.add(task)
        task.add_done_callback(self._beside.discard)
