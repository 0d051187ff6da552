"""Limits interim (1xx) responses, of which HTTP allows any number.

httpcore reads them all, so a hostile server could keep a process busy until the time limit.
"""

import sys
from typing import Any

import httpcore

# httpcore imports it for every request; where it is not installed, each searches the whole import path
sys.modules.setdefault("sniffio", None)  # type: ignore[arg-type]  # as Python marks a module that cannot be imported

MOST_INTERIM = 16
_LONGEST_HEAD = 64 * 1024


class GuardedBackend(httpcore.AnyIOBackend):
    """httpcore's connections, each guarded."""

    async def connect_tcp(self, *args: Any, **options: Any) -> httpcore.AsyncNetworkStream:
        """Connect, and guard what is read."""
        return GuardedStream(await super().connect_tcp(*args, **options))


class GuardedStream(httpcore.AsyncNetworkStream):
    """Counts interim answers from each request to the head of its real answer."""

    def __init__(self, inner: httpcore.AsyncNetworkStream) -> None:
        self._inner = inner
        self._head, self._interim, self._awaited = b"", 0, True
        self.aclose, self.get_extra_info = inner.aclose, inner.get_extra_info  # type: ignore[method-assign]  # as they are

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109 - httpcore's
        """Read; raises RemoteProtocolError after too many interim answers."""
        data = await self._inner.read(max_bytes, timeout)
        if self._awaited:
            self._count(data)
        return data

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109 - httpcore's
        """Write; a new response is expected."""
        self._awaited, self._head, self._interim = True, b"", 0
        await self._inner.write(buffer, timeout)

    async def start_tls(self, *args: Any, **options: Any) -> httpcore.AsyncNetworkStream:
        """The same connection under TLS, guarded again."""
        return GuardedStream(await self._inner.start_tls(*args, **options))

    def _count(self, data: bytes) -> None:
        self._head += data
        while self._head.startswith((b"HTTP/1.1 1", b"HTTP/1.0 1")):
            end = self._head.find(b"\r\n\r\n")
            if end < 0:
                break
            self._head = self._head[end + 4 :]
            self._interim += 1
            if self._interim > MOST_INTERIM:
                raise httpcore.RemoteProtocolError("too many interim answers")
        else:
            self._awaited = len(self._head) < len(b"HTTP/1.1 1")
        if len(self._head) > _LONGEST_HEAD:
            self._awaited, self._head = False, b""  # h11 itself refuses a longer head
