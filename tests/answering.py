"""Small servers for tests: a function answers every request or connection at a real address of this machine."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self
from weakref import WeakSet

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from bot.playground.serving import serving

METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]


def answering(endpoint: Callable[[Request], Awaitable[Response]]) -> AbstractAsyncContextManager[str]:
    """The address of a server in this event loop that gives every request to `endpoint`."""
    return serving(Starlette(routes=[Route("/{path:path}", endpoint, methods=METHODS)]))


def answering_with(content: bytes | str, status: int = 200, **headers: str) -> AbstractAsyncContextManager[str]:
    """The same for a server that has one answer to everything; of a header's name `_` is written `-`."""

    async def endpoint(request: Request) -> Response:
        await request.body()
        return Response(content, status, {name.replace("_", "-"): value for name, value in headers.items()})

    return answering(endpoint)


Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Coroutine[Any, Any, None]]


class Listeners:
    """Servers in this event loop; each connection has a task, and at the end every one of them is closed."""

    def __init__(self) -> None:
        self._servers: list[asyncio.Server] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._open: WeakSet[asyncio.StreamWriter] = WeakSet()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        """Accept nothing more, then close: Python 3.11 never closes what it accepts in the turn of `Server.close()`."""
        for listener in [one for server in self._servers for one in server.sockets]:
            asyncio.get_running_loop().remove_reader(listener)
        for _turn in range(3):  # what was accepted becomes a connection, and has its task
            await asyncio.sleep(0)
        for server in self._servers:
            server.close()
        self.end_connections()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for writer in self._open:
            writer.transport.abort()
        await asyncio.sleep(0)  # a transport closes its socket in the next turn

    async def listen(self, serve: Serve, place: Path | None = None, **how: Any) -> int:
        """The port of a new server of the loopback interface; 0 with a `place`, which is that of a Unix socket."""

        def accepted(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.create_task(serve(reader, writer))
            self._tasks.add(task)
            self._open.add(writer)
            task.add_done_callback(self._tasks.discard)
            task.add_done_callback(lambda _: writer.close())

        there = {"path": place} if place else {"host": "127.0.0.1", "port": 0}
        start: Any = asyncio.start_unix_server if place else asyncio.start_server
        self._servers.append(await start(accepted, **there, **how))
        return 0 if place else int(self._servers[-1].sockets[0].getsockname()[1])

    def end_connections(self) -> None:
        for task in self._tasks:
            task.cancel()


Ends = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def joined(one: Ends, other: Ends) -> None:
    """Bytes both ways until either side ends, or its connection is cut."""
    ways = [asyncio.create_task(_pumped(one[0], other[1])), asyncio.create_task(_pumped(other[0], one[1]))]
    try:
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for way in ways:
            way.cancel()


async def _pumped(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await source.read(1 << 16):
            sink.write(data)
            await sink.drain()


@dataclass(frozen=True, slots=True)
class Asked:
    path: str
    headers: dict[str, str]
    body: bytes


@contextmanager
def answering_aside(
    answer: Callable[[Asked], Response], begun: Callable[[str], None] = lambda _: None
) -> Iterator[int]:
    """The port of a server in threads of its own, for tests without an event loop.

    `begun` hears the path of each request before its body is read.
    """

    class Endpoint(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            begun(self.path)
            body = self.rfile.read(int(self.headers["Content-Length"] or 0))
            reply = answer(Asked(self.path, dict(self.headers.items()), body))
            self.send_response(reply.status_code)
            for header in reply.headers.items():
                self.send_header(*header)
            self.end_headers()
            with suppress(ConnectionError):  # a client that gave up on this request
                self.wfile.write(reply.body)

        do_POST = do_GET  # noqa: N815 - the name that http.server calls

        def log_message(self, *_: object) -> None:
            """Keep the test's output clean."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Endpoint) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()
