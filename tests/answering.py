"""Small HTTP servers for tests: a function answers every request at a real address of this machine."""

import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

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


@dataclass(frozen=True, slots=True)
class Asked:
    path: str
    headers: dict[str, str]
    body: bytes


@contextmanager
def answering_aside(answer: Callable[[Asked], Response]) -> Iterator[int]:
    """The port of a server in threads of its own, for tests without an event loop."""

    class Endpoint(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"] or 0))
            said = answer(Asked(self.path, dict(self.headers.items()), body))
            self.send_response(said.status_code)
            for header in said.headers.items():
                self.send_header(*header)
            self.end_headers()
            with suppress(ConnectionError):  # a client that gave up on this request
                self.wfile.write(said.body)

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
