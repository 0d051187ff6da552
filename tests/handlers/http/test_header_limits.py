"""Whoever is slow or endless with the head of a request holds no connection; a body has its own time (C4)."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from handlers.http import header_limits as module
from tests.handlers.endpoint import TOKEN, Endpoint, firing
from tests.patience import PATIENCE_SECONDS

SHORT_SECONDS = 1.0
HEAD = b"POST /alerts/grafana HTTP/1.1\r\nHost: tailback\r\n"


class Line:
    """A bare connection to the web process."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def says(self, *parts: bytes, pause: float = 0.0) -> None:
        """Send these, with a pause before each but the first; whoever is cut off stops."""
        for number, part in enumerate(parts):
            await asyncio.sleep(pause if number else 0)
            if self.writer.is_closing():
                return
            self.writer.write(part)

    async def status(self) -> str:
        """The status line of the next answer, read with its body."""
        head = await asyncio.wait_for(self.reader.readuntil(b"\r\n\r\n"), PATIENCE_SECONDS)
        length = next((int(row[15:]) for row in head.lower().split(b"\r\n") if row.startswith(b"content-length:")), 0)
        await self.reader.readexactly(length)
        return head.split(b"\r\n", 1)[0].decode()

    async def closed(self) -> bool:
        """Whether nothing more comes, because the other side has closed."""
        try:
            return await asyncio.wait_for(self.reader.read(), PATIENCE_SECONDS) == b""
        except ConnectionError:
            return True


@pytest.fixture
async def port(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[int]:
    """Where a web process listens whose patience with heads is short."""
    monkeypatch.setattr(module, "HEAD_SECONDS", SHORT_SECONDS)
    async with Endpoint() as endpoint, endpoint.process() as address:
        yield int(address.rpartition(":")[2])


@pytest.fixture
async def line(port: int) -> AsyncIterator[Line]:
    made = Line(*await asyncio.open_connection("127.0.0.1", port))
    yield made
    made.writer.close()


def good(body: bytes) -> bytes:
    """The rest of a head with the right token."""
    return f"Authorization: Bearer {TOKEN}\r\nContent-Length: {len(body)}\r\n\r\n".encode()


async def test_headers_that_come_byte_by_byte_are_cut_off(line: Line) -> None:
    """The time counts for the whole head, however often a byte arrives; an honest sender on a bad line sends again."""
    sending = asyncio.create_task(line.says(HEAD, *[b"x"] * 40, pause=SHORT_SECONDS / 5))
    assert await line.status() == "HTTP/1.1 503 Service Unavailable"
    assert await line.closed()
    assert not sending.done(), "bytes still came"
    sending.cancel()


async def test_a_connection_that_says_nothing_is_closed(line: Line) -> None:
    """Without a word: nobody asked for anything."""
    assert await line.closed()


async def test_a_further_head_on_the_same_connection_is_bounded_too(line: Line) -> None:
    """The first request was good and fast."""
    await line.says(b"GET /healthz HTTP/1.1\r\nHost: tailback\r\n\r\n")
    assert await line.status() == "HTTP/1.1 200 OK"
    await line.says(HEAD)
    assert await line.status() == "HTTP/1.1 503 Service Unavailable"
    assert await line.closed()


@pytest.mark.parametrize(
    ("parts", "status"),
    [
        (
            [HEAD + b"X-Long: " + b"a" * module.MOST_HEAD_BYTES + b"\r\n" + good(b"")],
            "431 Request Header Fields Too Large",
        ),
        ([HEAD + b"X-Long: ", *[b"a" * 4096] * 4], "431 Request Header Fields Too Large"),
        ([HEAD + b"X-Long: " + b"a" * 15_000 + b"\r\n" + good(firing()) + firing()], "200 OK"),
    ],
)
async def test_a_head_above_16_kb_is_refused(line: Line, parts: list[bytes], status: str) -> None:
    """In one piece, and as soon as it is too long, before any time limit; a long token of a proxy is no attack."""
    await line.says(*parts, pause=0.01)
    assert await line.status() == f"HTTP/1.1 {status}"
    assert status == "200 OK" or await line.closed()


async def test_a_body_may_take_longer_than_a_head(line: Line) -> None:
    """Its own bound is in `bodies.py`."""
    body = firing()
    await line.says(HEAD + good(body) + body[:10], body[10:], pause=SHORT_SECONDS * 2)
    assert await line.status() == "HTTP/1.1 200 OK"


CHUNKED = HEAD + f"Authorization: Bearer {TOKEN}\r\nTransfer-Encoding: chunked\r\n\r\n".encode()


@pytest.mark.parametrize(
    "endless", [b"0\r\n" + b"a: b\r\n" * 99_000, b"0\r\na: " + b"b" * 400_000, b"1;" + b"b" * 400_000]
)
async def test_what_stands_around_a_body_is_bounded(line: Line, endless: bytes) -> None:
    """Trailers are stored like headers, and nobody waits for their end; nor for that of a chunk's extension."""
    await line.says(CHUNKED, endless)
    assert await line.closed()


async def test_a_body_in_tiny_chunks_is_taken(line: Line) -> None:
    """With a trailer, as some proxies send."""
    await line.says(CHUNKED, b"".join(b"1\r\n%c\r\n" % byte for byte in firing()), b"0\r\nX-Digest: x\r\n\r\n")
    assert await line.status() == "HTTP/1.1 200 OK"


async def test_a_body_that_goes_on_after_its_refusal_is_cut_off(line: Line) -> None:
    """The sender has the time to read why; then the connection is closed."""
    await line.says(HEAD + b"Content-Length: 99999999\r\n\r\n" + b"x" * 1000)
    assert await line.status() == "HTTP/1.1 401 Unauthorized"
    sending = asyncio.create_task(line.says(*[b"x"] * 40, pause=SHORT_SECONDS / 5))
    assert await line.closed()
    sending.cancel()
