"""Serves an ASGI application from inside a running event loop, on a port of the system's choice."""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from bot.playground.guard import Asgi, Receive, Scope, Send, guarded

ABORT = "playground.abort"
"""Scope extension: a function that cuts the connection without a reply."""
CLOSING = "playground.closing"
"""Scope extension: an `asyncio.Event` that is set when the server begins to stop, so that endless streams can end."""
STOP_WITHIN_SECONDS = 2


class _EmbeddedServer(uvicorn.Server):
    """uvicorn without its own signal handling; stops when `should_exit` is set."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signals to the process."""
        yield


class _Cutting(HttpToolsProtocol):
    """Lets an application cut its connection, as a broken network does; ASGI has no word for that."""

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.scope["extensions"] = {ABORT: self.transport.abort}  # type: ignore[dict-item]  # typed as dicts only


def _with_closing(app: Asgi, closing: asyncio.Event) -> Asgi:
    """The application, which finds in each scope when the server begins to stop."""

    async def called(scope: Scope, receive: Receive, send: Send) -> None:
        extensions = scope.get("extensions")
        scope["extensions"] = {**(extensions if isinstance(extensions, dict) else {}), CLOSING: closing}
        await app(scope, receive, send)

    return called


@asynccontextmanager
async def serving(app: Asgi, host: str = "127.0.0.1", port: int = 0) -> AsyncIterator[str]:
    """Serves `app` while the context is open and gives its base URL, for example `http://127.0.0.1:40123`.

    With `host` 0.0.0.0 the URL names 127.0.0.1, which can be connected to.

    Requests of foreign pages are refused (`bot.playground.guard`). Installs no signal handlers.
    On leaving, requests under way have STOP_WITHIN_SECONDS to end.

    Raises OSError: the address cannot be bound; RuntimeError: the application refused to start (its lifespan failed).
    """
    # asyncio sends small answers at once (TCP_NODELAY) only on sockets that name TCP; otherwise each costs 40 ms.
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError:
        listener.close()
        raise
    closing = asyncio.Event()
    config = uvicorn.Config(
        guarded(_with_closing(app, closing), host),
        http=_Cutting,
        ws="none",
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=STOP_WITHIN_SECONDS,
    )
    server = _EmbeddedServer(config)
    served = asyncio.create_task(_served(server, listener), name="playground")
    while not server.started:
        if served.done():
            listener.close()
            raise RuntimeError("the application did not start; its log says why")
        await asyncio.sleep(0.001)
    shown_host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    try:
        yield f"http://{shown_host}:{listener.getsockname()[1]}"
    finally:
        closing.set()
        server.should_exit = True
        await served


async def _served(server: uvicorn.Server, listener: socket.socket) -> None:
    with suppress(SystemExit):  # uvicorn's way to say that the application did not start
        await server.serve(sockets=[listener])
