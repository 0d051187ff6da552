"""Reads request bodies within limits of size, time and total memory, before anything parses them (SE-4)."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from enum import StrEnum

from starlette.requests import ClientDisconnect, Request

from handlers.http import metrics
from handlers.http.refusals import Refusals
from handlers.http.store_or_503 import RequestRefused

PATIENCE_SECONDS = 15.0
BUDGET_BODIES = 8
"""Bodies of the largest allowed size that known senders may have in this process at the same time."""
UNKNOWN_BYTES = 8 * 1024 * 1024
"""What all unknown senders may have in it: eight bodies of Slack's or GitHub's largest size."""
SIGNED_BYTES = 1024 * 1024
"""The largest body of Slack and GitHub; theirs have some 10 kB, and a stranger may send as much as they."""
SNS_BYTES = 512 * 1024
"""The largest body of Amazon SNS, which sends at most 256 KiB."""


class Crowded(RequestRefused):
    def __init__(self) -> None:
        super().__init__(503, "too many request bodies at once; send it again")


class From(StrEnum):
    """Whose bodies share a budget, so that nobody can use up that of others."""

    KNOWN = "known"
    """Proved by its headers who it is."""
    UNKNOWN = "unknown"
    """Will be known by a signature over its body: Slack, GitHub, Grafana's HMAC."""
    SNS = "sns"
    """The same, but Amazon is asked for a certificate while the body waits."""


class _Reading:
    """One body while it is held."""

    def __init__(self) -> None:
        self.held_bytes = 0
        self.crowded_out = False
        self.time: asyncio.Timeout | None = None


class _Budget:
    """The bodies of one kind of sender, in the order in which they began."""

    def __init__(self, most_bytes: int, *, oldest_out: bool) -> None:
        self.most_bytes, self.held_bytes = most_bytes, 0
        self._oldest_out = oldest_out
        self._arriving: dict[_Reading, None] = {}

    def begin(self, reading: _Reading) -> None:
        self._arriving[reading] = None

    def arrived(self, reading: _Reading) -> None:
        """It is complete: whoever is asked about it now has to be answered."""
        self._arriving.pop(reading, None)

    def end(self, reading: _Reading) -> None:
        self._arriving.pop(reading, None)
        self.held_bytes -= reading.held_bytes
        reading.held_bytes = 0

    def hold(self, reading: _Reading, size: int) -> None:
        """Count a piece. Beyond the budget the oldest that is still arriving goes, or else this one: RequestRefused."""
        reading.held_bytes += size
        self.held_bytes += size
        while self.held_bytes > self.most_bytes:
            out = next(iter(self._arriving), reading) if self._oldest_out else reading
            if out is reading or out.time is None:
                raise Crowded
            self.end(out)
            out.crowded_out = True
            out.time.reschedule(asyncio.get_running_loop().time())


class BodyBudget:
    """The request bodies that one process holds, each kind of sender within a budget of its own."""

    def __init__(self, max_bytes: int, refusals: Refusals) -> None:
        """`max_bytes` is the limit of one body (`http.max_body_bytes`)."""
        self.max_bytes, self._refusals = max_bytes, refusals
        self._budgets = {
            From.KNOWN: _Budget(BUDGET_BODIES * max_bytes, oldest_out=False),
            From.UNKNOWN: _Budget(max(UNKNOWN_BYTES, 2 * max_bytes), oldest_out=True),
            From.SNS: _Budget(BUDGET_BODIES * SNS_BYTES, oldest_out=True),
        }

    @property
    def held_bytes(self) -> int:
        return sum(budget.held_bytes for budget in self._budgets.values())

    @asynccontextmanager
    async def read(self, request: Request, whose: From, most: int | None = None) -> AsyncIterator[bytes]:
        """The raw body, counted against its budget until the block ends; at most `most` bytes.

        Raises RequestRefused for a body that is compressed, too large, too slow, or one too many; each is counted.
        """
        reading, budget = _Reading(), self._budgets[whose]
        try:
            try:
                body = await _read(request, self._most(most), budget, reading)
            except RequestRefused as refused:
                metrics.BODIES_REFUSED.labels(str(refused.status)).inc()
                if isinstance(refused, Crowded):
                    self._refusals.log("bodies refused: too many at once", senders=whose)
                raise
            yield body
        finally:
            budget.end(reading)

    def _most(self, own: int | None) -> tuple[int, str]:
        """The limit, and its name for whoever is above it."""
        if own is not None and own < self.max_bytes:
            return own, f"{own:,} bytes"
        return self.max_bytes, f"{self.max_bytes:,} bytes (http.max_body_bytes)"


async def _read(request: Request, limit: tuple[int, str], budget: _Budget, reading: _Reading) -> bytes:
    most, named = limit
    too_large = RequestRefused(413, f"the body is larger than {named}; send fewer alerts at once (max_alerts)")
    encoding = request.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in {"", "identity"}:
        raise RequestRefused(415, f"the body is compressed ({encoding[:20]}); send it uncompressed")
    length = request.headers.get("content-length", "")
    if length.isascii() and length.isdigit() and int(length[:12]) > most:
        raise too_large
    parts, size = list[bytes](), 0
    budget.begin(reading)
    try:
        async with asyncio.timeout(PATIENCE_SECONDS) as reading.time:
            async for chunk in request.stream():
                budget.hold(reading, len(chunk))
                size += len(chunk)
                if size > most:
                    raise too_large
                parts.append(chunk)
        budget.arrived(reading)
        return b"".join(parts)
    except TimeoutError:
        if reading.crowded_out:
            raise Crowded from None
        late = f"the body did not arrive within {PATIENCE_SECONDS:.0f} s; send it again"
        raise RequestRefused(503, late) from None
    except ClientDisconnect:
        raise RequestRefused(503, "the connection was closed before the body was complete; send it again") from None
    finally:
        parts.clear()  # the traceback of a refusal keeps this frame until garbage is collected
