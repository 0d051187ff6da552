"""Reads a request's body within limits of size and time, before anything parses it (C4, SE-4)."""

import asyncio

from starlette.requests import ClientDisconnect, Request

MOST_BYTES = 5 * 1024 * 1024
PATIENCE_SECONDS = 15.0


class BodyRefused(Exception):  # noqa: N818 - a refusal is an answer
    """The body was refused; `status` and `sentence` are the response."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence


async def body_of(request: Request, most: int = MOST_BYTES) -> bytes:
    """The raw bytes; raises BodyRefused for a compressed, oversized or too slow body."""
    encoding = request.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in {"", "identity"}:
        raise BodyRefused(415, f"the body is compressed ({encoding[:20]}); send it uncompressed")
    length = request.headers.get("content-length", "")
    if length.isascii() and length.isdigit() and int(length[:12]) > most:
        raise BodyRefused(413, f"the body is larger than {most:,} bytes; send fewer alerts at once (max_alerts)")
    parts, size = [], 0
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            async for chunk in request.stream():
                size += len(chunk)
                if size > most:
                    raise BodyRefused(413, f"the body is larger than {most:,} bytes; send fewer alerts at once")
                parts.append(chunk)
    except TimeoutError:
        raise BodyRefused(503, f"the body did not arrive within {PATIENCE_SECONDS:.0f} s; send it again") from None
    except ClientDisconnect:
        raise BodyRefused(400, "the connection was closed before the body was complete") from None
    return b"".join(parts)
