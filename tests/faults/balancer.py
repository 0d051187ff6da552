"""What stands before the webs: a small proxy that gives each connection to one that last said that it is ready."""

import asyncio
import contextlib
from itertools import count
from typing import Self

import aiohttp

from tests.answering import Listeners, joined
from tests.faults.servers import Process
from tests.faults.system import System

LOOK_SECONDS = 0.25
"""How often /readyz is asked."""
STOPPED = "is being stopped"
"""Why a process that was told to end is not ready."""


class Balancer:
    """It asks nobody twice: a connection that a ready web refuses is counted, and lost for who made it."""

    def __init__(self, system: System) -> None:
        self.system, self.port = system, 0
        self.refused: list[str] = []
        self.told_away: dict[str, int] = {}
        """By web: how often it had become unready."""
        self._ready: list[int] = []
        self._turns = count()
        self._listeners = Listeners()
        self._looking: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self.port = await self._listeners.listen(self._serve)
        await self._look_once()
        self._looking = asyncio.create_task(self._look())
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._looking is not None
        self._looking.cancel()
        await asyncio.gather(self._looking, return_exceptions=True)
        await self._listeners.__aexit__()

    def sends_to(self, web: Process) -> bool:
        """Whether this web process has been seen to be ready."""
        return web.port in self._ready

    async def _look(self) -> None:
        while True:
            await self._look_once()
            await asyncio.sleep(LOOK_SECONDS)

    async def _look_once(self) -> None:
        """As balancers do when no server passes its check, it goes on with those that answer and are not stopped."""
        pages = await asyncio.gather(*(self._asked(web) for web in self.system.webs))
        states = dict(zip((web.port for web in self.system.webs), pages, strict=True))
        ready = [port for port, (status, _) in states.items() if status == 200]
        slow = [port for port, (status, text) in states.items() if status and STOPPED not in text]
        for web in self.system.webs:
            if web.port in self._ready and web.port not in (ready or slow):
                self.told_away[web.name] = self.told_away.get(web.name, 0) + 1
        self._ready = ready or slow

    async def _asked(self, web: Process) -> tuple[int, str]:
        with contextlib.suppress(aiohttp.ClientError, TimeoutError):
            async with self.system.http.get(f"http://127.0.0.1:{web.port}/readyz") as answer:
                return answer.status, await answer.text()
        return 0, ""

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self._passed_on(reader, writer)
        except OSError as error:
            self.refused.append(f"{error!r} with {self._ready} ready")
        finally:
            writer.transport.abort()

    async def _passed_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not self._ready:
            raise ConnectionRefusedError
        port = self._ready[next(self._turns) % len(self._ready)]
        there = await asyncio.open_connection("127.0.0.1", port)
        try:
            await joined((reader, writer), there)
            with contextlib.suppress(OSError):
                writer.close()
                await writer.wait_closed()
        finally:
            there[1].transport.abort()
