"""Limits the size and time of request headers, before routing (C4); uvicorn has no such limits."""

import asyncio

from starlette.responses import PlainTextResponse
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MOST_HEAD_BYTES = 16 * 1024
"""For the request line and headers together."""
HEAD_SECONDS = 10.0
"""From the connection, or the first byte of a further request, to the end of the headers."""
TOO_LARGE = "the headers are too large; 16 kB are allowed"

_LATE = b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
"""503 makes an alert sender try again; a 4xx would not (docs/design/measurements.md#alertmanager-retries)."""
_ENDLESS = b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"

too_large = PlainTextResponse(TOO_LARGE, 431, headers={"connection": "close"})
"""Answers a request whose headers are complete but too large."""


class BoundedHeads(HttpToolsProtocol):
    """One connection; closes it when headers are slow, or when the client keeps sending after the response."""

    _timer: asyncio.TimerHandle | None = None
    _in_head = True
    _in_body = False
    _unread_bytes = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's own
        """A client has connected; its first headers are awaited."""
        super().connection_made(transport)
        self._await()

    def connection_lost(self, exc: Exception | None) -> None:
        """The client has disconnected."""
        self._calm()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Refuse headers that exceed the limit before they are complete."""
        super().data_received(data)
        if self._in_head and self.parser is not None:
            self._unread_bytes += len(data)
            if self._unread_bytes > MOST_HEAD_BYTES:
                self._cut(_ENDLESS)

    def on_message_begin(self) -> None:
        """The first byte of headers has arrived."""
        super().on_message_begin()
        self._in_head, self._unread_bytes = True, 0
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
