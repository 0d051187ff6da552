"""Reads request bodies within limits of size, time and total memory, before anything parses them (SE-4)."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from starlette.requests import ClientDisconnect, Request

from handlers.http import metrics
from handlers.http.store_or_503 import RequestRefused

PATIENCE_SECONDS = 15.0
BUDGET_BODIES = 8
"""Bodies of the largest allowed size that one process holds at the same time."""


class BodyBudget:
    """The request bodies that one process holds, as a budget of bytes."""

    def __init__(self, max_bytes: int) -> None:
        """`max_bytes` is the limit of one body (`http.max_body_bytes`)."""
        self.max_bytes = max_bytes
        self.held_bytes = 0

    @asynccontextmanager
    async def read(self, request: Request, most: int | None = None) -> AsyncIterator[bytes]:
        """The raw body, counted against the budget until the block ends.

        Raises RequestRefused for a body that is compressed, too large, too slow, or one too many; each is counted.
        """
        held = 0

        def hold(size: int) -> None:
            nonlocal held
            held += size
            self.held_bytes += size
            if self.held_bytes > BUDGET_BODIES * self.max_bytes:
                raise RequestRefused(503, "too many request bodies at once; send it again")

        try:
            try:
                body = await _read(request, min(most or self.max_bytes, self.max_bytes), hold)
            except RequestRefused as refused:
                metrics.BODIES_REFUSED.labels(str(refused.status)).inc()
                raise
            yield body
        finally:
            self.held_bytes -= held


async def _read(request: Request, most: int, hold: Callable[[int], None]) -> bytes:
    encoding = request.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in {"", "identity"}:
        raise RequestRefused(415, f"the body is compressed ({encoding[:20]}); send it uncompressed")
    length = request.headers.get("content-length", "")
    if length.isascii() and length.isdigit() and int(length[:12]) > most:
        raise RequestRefused(413, f"the body is larger than {most:,} bytes; send fewer alerts at once (max_alerts)")
    parts, size = [], 0
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            async for chunk in request.stream():
                hold(len(chunk))
                size += len(chunk)
                if size > most:
                    raise RequestRefused(413, f"the body is larger than {most:,} bytes; send fewer alerts at once")
                parts.append(chunk)
    except TimeoutError:
        raise RequestRefused(503, f"the body did not arrive within {PATIENCE_SECONDS:.0f} s; send it again") from None
    except ClientDisconnect:
        raise RequestRefused(503, "the connection was closed before the body was complete; send it again") from None
    return b"".join(parts)
