"""Serves an ASGI application from inside a running event loop, on a port of the system's choice."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import uvicorn.server
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from bot.playground.guard import Asgi, guarded

ABORT = "playground.abort"
"""Scope extension: a function that cuts the connection without a reply."""
CLOSING = "playground.closing"
"""Scope extension: an `asyncio.Event` that is set when the server begins to stop, so that endless streams can end."""


class _EmbeddedServer(uvicorn.server.Server):
    """uvicorn without its own signal handling; stops when `should_exit` is set."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.closing = asyncio.Event()

    async def main_loop(self) -> None:
        """Keeps the date header fresh until `closing` is set."""
        counter = 0
        while not self.closing.is_set():
            await self.on_tick(counter * 10)
            counter += 1
            try:
                await asyncio.wait_for(self.closing.wait(), timeout=1.0)
            except TimeoutError:
                continue


def _protocol(closing: Callable[[], asyncio.Event]) -> type[HttpToolsProtocol]:
    class Protocol(HttpToolsProtocol):
        def on_message_begin(self) -> None:
            super().on_message_begin()
            self.scope["extensions"] = {ABORT: self.transport.abort, CLOSING: closing()}  # type: ignore[dict-item]  # typed as dicts only

    return Protocol


@asynccontextmanager
async def serving(
    app: Asgi, host: str = "127.0.0.1", port: int = 0, stop_within_seconds: int = 2
) -> AsyncIterator[str]:
    """Serves `app` while the context is open and gives its base URL, for example `http://127.0.0.1:40123`.

    With `host` 0.0.0.0 the URL names 127.0.0.1, which can be connected to.

    Requests of foreign pages are refused (`bot.playground.guard`). Installs no signal handlers.
    On leaving, requests under way have `stop_within_seconds` to end.

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
    config = uvicorn.Config(
        guarded(app, host),
        http=_protocol(lambda: server.closing),
        ws="none",
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=stop_within_seconds,
    )
    server = _EmbeddedServer(config)
    config.load()
    server.lifespan = config.lifespan_class(config)
    try:
        await server.startup(sockets=[listener])
    except SystemExit:
        listener.close()
        raise RuntimeError("the application did not start; its log says why") from None
    loop_task = asyncio.create_task(server.main_loop())
    shown_host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    try:
        yield f"http://{shown_host}:{listener.getsockname()[1]}"
    finally:
        server.closing.set()
        server.should_exit = True
        await loop_task
        asyncio.get_running_loop().remove_reader(listener)
        for _ in range(3):  # Python 3.11 never closes what it accepted in the last turn, nor does uvicorn
            await asyncio.sleep(0)
        await server.shutdown(sockets=[listener])
