"""Limits the size and time of request headers and trailers, before routing (C4); uvicorn has no such limits."""

import asyncio
import socket
from collections.abc import Callable, Iterable
from errno import EACCES, EADDRINUSE
from typing import Protocol

import structlog
from starlette.responses import PlainTextResponse
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from bot.config import unusable
from handlers.http import metrics

MOST_HEAD_BYTES = 16 * 1024
"""For the request line and headers together."""
HEAD_SECONDS = 10.0
"""From the connection, or the first byte of a further request, to the end of the headers."""
CHUNK_BYTES = 8
"""Allowed around each byte of a chunked body, for the size of its chunk."""
TOO_LARGE = "the headers are too large; 16 kB are allowed"

RECEIVE_BYTES = 32 * 1024
"""What a connection may have sent before it is read, in the kernel and as one piece in this process."""

_LATE = b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
"""503 makes an alert sender try again; a 4xx would not (docs/design/measurements.md#alertmanager-retries)."""
_ENDLESS = b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"

too_large = PlainTextResponse(TOO_LARGE, 431, headers={"connection": "close"})
"""Answers a request whose headers are complete but too large."""

log = structlog.get_logger()


class Connection(Protocol):
    """One connection of a client, with its limits."""

    served: bool
    """Whether a request has come by it."""

    @property
    def address(self) -> str:
        """The host at the other end."""

    @property
    def idle(self) -> bool:
        """Whether no request is in progress on it."""

    def cut_off(self) -> None:
        """Close it at once."""


class Connections:
    """The open connections of one server: bounded in total, and by address while no request is in progress."""

    def __init__(self, most: int, most_idle_per_address: int) -> None:
        self._most, self._most_idle = most, most_idle_per_address
        self._by_address: dict[str, dict[Connection, None]] = {}
        self._opened = self._total = 0

    def opened(self, new: Connection) -> None:
        """Count a connection; above a limit the oldest idle ones are closed, those without any request first.

        An address is judged at every sixteenth connection, because a busy proxy has many that are not idle.
        """
        same = self._by_address.setdefault(new.address, {})
        same[new] = None
        self._opened += 1
        self._total += 1
        if len(same) > self._most_idle and self._opened % 16 == 0:
            self._close(_idle(same)[self._most_idle :], "address")
        if self._total > self._most:
            everywhere = [one for group in self._by_address.values() for one in group]
            self._close((_idle(everywhere) or [new])[-1:], "total")

    def closed(self, gone: Connection) -> None:
        """Forget a connection; harmless when it was forgotten before."""
        same = self._by_address.get(gone.address, {})
        if gone in same:
            del same[gone]
            self._total -= 1
            if not same:
                del self._by_address[gone.address]

    def _close(self, victims: list[Connection], limit: str) -> None:
        for victim in victims:
            self.closed(victim)
            metrics.CONNECTIONS_CLOSED.labels(limit).inc()
            victim.cut_off()
        if victims:
            log.warning("connections closed: too many are open", limit=limit, closed=len(victims), open=self._total)


def _idle(connections: Iterable[Connection]) -> list[Connection]:
    """The idle ones; those to keep first: the newest with a request, and at the end the oldest without any."""
    newest_first = [one for one in connections if one.idle][::-1]
    return sorted(newest_first, key=lambda one: not one.served)


class LimitedProtocol(HttpToolsProtocol):
    """One connection; closes it when headers are slow, or when the client keeps sending after the response."""

    limits: Connections | None = None
    """The connections of its server, when they are limited."""
    served = False
    """Whether a request has come by this connection."""
    draining: Callable[[], bool] = staticmethod(lambda: False)
    """Whether the process is being stopped; then each response ends its connection."""
    _timer: asyncio.TimerHandle | None = None
    _in_head = True
    _in_body = False
    _unread_bytes = 0
    _around_body_bytes = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's own
        """A client has connected; its first headers are awaited."""
        super().connection_made(transport)
        self._await()
        if self.limits is not None:
            self.limits.opened(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """The client has disconnected."""
        self._calm()
        if self.limits is not None:
            self.limits.closed(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Refuse headers that exceed the limit before they are complete; cut off endless trailers and extensions."""
        self._around_body_bytes += len(data)
        super().data_received(data)
        if self._in_body and self._around_body_bytes > MOST_HEAD_BYTES:
            self._cut(b"")
        if self._in_head and self.parser is not None:
            self._unread_bytes += len(data)
            if self._unread_bytes > MOST_HEAD_BYTES:
                self._cut(_ENDLESS)

    def on_message_begin(self) -> None:
        """The first byte of headers has arrived."""
        super().on_message_begin()
        self._in_head, self._unread_bytes, self._around_body_bytes = True, 0, 0
        self.served = True
        if self._timer is None:
            self._await()

    def on_headers_complete(self) -> None:
        """The headers are complete; if they are too large, the application does not see the request."""
        self._calm()
        self._in_head, self._in_body = False, True
        size = len(self.url) + sum(len(name) + len(value) for name, value in self.headers)
        known = self.app
        if size > MOST_HEAD_BYTES:
            self.app = too_large
        super().on_headers_complete()
        self.app = known
        if self.cycle is not None and self.draining():
            self.cycle.keep_alive = False

    def on_body(self, body: bytes) -> None:
        """A part of the body has arrived."""
        super().on_body(body)
        self._around_body_bytes = max(0, self._around_body_bytes - len(body) * (1 + CHUNK_BYTES))

    def on_message_complete(self) -> None:
        """The body is complete."""
        super().on_message_complete()
        self._in_body = False
        self._calm()

    def on_response_complete(self) -> None:
        """The response was sent; keep reading the body for a while, so that the client sees the response."""
        super().on_response_complete()
        if self._in_body:
            self._await()

    def shutdown(self) -> None:
        """The server stops: close the connection, but answer a request first that is in progress or arriving."""
        if not (self.served and self._in_head):
            super().shutdown()

    @property
    def address(self) -> str:
        """The host at the other end."""
        return self.client[0] if self.client else ""

    @property
    def idle(self) -> bool:
        """Whether no request is in progress on it."""
        return not self._in_body and (self.cycle is None or self.cycle.response_complete)

    def cut_off(self) -> None:
        """Close it at once, without an answer."""
        self.transport.abort()

    def _await(self) -> None:
        self._calm()
        self._timer = self.loop.call_later(HEAD_SECONDS, self._late)

    def _calm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _late(self) -> None:
        self._timer = None
        self._cut(_LATE if self._in_head and self._unread_bytes else b"")

    def _cut(self, words: bytes) -> None:
        if not self.transport.is_closing():
            self.transport.write(words)
            self.transport.close()


_PORT_AT_FAULT = {EADDRINUSE: "another program may be using it", EACCES: "Permission denied"}


def listen_on(host: str, port: int, variable: str, host_variable: str = "HOST") -> socket.socket:
    """A listening socket; uvicorn would exit by itself. Raises ConfigError that names the variable at fault."""
    host = host.strip("[]")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        made = socket.create_server((host, port), family=family)
    except OSError as error:
        if error.errno in _PORT_AT_FAULT:
            why = _PORT_AT_FAULT[error.errno]
            remedy = f"set {variable} to a free port above 1023"
            raise unusable(variable, f"cannot listen on {host}:{port} ({why})", remedy, lasts=False) from None
        remedy = "set 127.0.0.1 or, for every address, 0.0.0.0"
        raise unusable(host_variable, f'"{host}" is no address of this machine', remedy) from None
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BYTES)  # connections inherit it
    return made
