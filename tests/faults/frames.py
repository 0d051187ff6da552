"""Cuts the bytes of a wire into requests and replies: as much of RESP2 and HTTP/1.1 as the product speaks."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from urllib.parse import parse_qs

Reader = asyncio.StreamReader


@dataclass(frozen=True, slots=True)
class Request:
    """One request on a wire: who sent it, what it asks, and its bytes."""

    who: str
    """The process, by the name that the system gave it."""
    name: str
    """`commit`, `claim`, or Redis's own word; on HTTP the method and path, such as `POST /api/chat.postMessage`."""
    raw: bytes = field(repr=False)
    words: tuple[bytes, ...] = field(default=(), repr=False)
    """The words of a Redis command."""
    body: bytes = field(default=b"", repr=False)

    def about(self, part: str) -> bool:
        return part.encode() in self.raw

    @property
    def arguments(self) -> dict[str, object]:
        """The JSON or form body of an HTTP request; empty when there is none."""
        try:
            found = json.loads(self.body)
        except ValueError:
            return {key: values[0] for key, values in parse_qs(self.body.decode("utf-8", "replace")).items()}
        return found if isinstance(found, dict) else {}


@dataclass(frozen=True, slots=True)
class Protocol:
    """How to read one request and one reply; `lasting` says of a request that a stream begins with it."""

    request: Callable[[Reader, str], Awaitable[Request | None]]
    reply: Callable[[Reader], Awaitable[bytes]]
    lasting: Callable[[Request], bool]
    may_rest: bool = False
    """Whether a server may close a connection that is not used; a client that is told at once asks on another one."""


async def redis_request(reader: Reader, who: str) -> Request | None:
    """One command; None at the end of the connection."""
    head = await reader.readline()
    if not head:
        return None
    raw, words = bytearray(head), []
    for _ in range(int(head[1:])):
        length = await reader.readuntil(b"\n")
        word = await reader.readexactly(int(length[1:]) + 2)
        raw += length + word
        words.append(word[:-2])
    return Request(who, _redis_name(words), bytes(raw), tuple(words))


def _redis_name(words: list[bytes]) -> str:
    """The scripts are known by their keys: a commit begins with its request id, a claim with the due times."""
    name = words[0].decode("ascii", "replace").upper()
    if name in {"EVALSHA", "EVAL"} and len(words) > 3:
        if words[3].startswith(b"{tailback}:req:"):
            return "commit"
        if words[3] == b"{tailback}:due":
            return "claim"
    return name


async def redis_reply(reader: Reader) -> bytes:
    head = await reader.readuntil(b"\n")
    kind, number = head[:1], head[1:-2]
    if kind == b"$" and number != b"-1":
        return head + await reader.readexactly(int(number) + 2)
    if kind == b"*" and number != b"-1":
        return head + b"".join([await redis_reply(reader) for _ in range(int(number))])
    return head


async def http_request(reader: Reader, who: str) -> Request | None:
    head = await _head(reader)
    if not head:
        return None
    method, target, _ = head.split(b"\r\n", 1)[0].decode("latin-1").split(" ", 2)
    body, raw = await _body(reader, head)
    return Request(who, f"{method} {target.partition('?')[0]}", head + raw, (), body)


async def http_reply(reader: Reader) -> bytes:
    head = await _head(reader)
    if not head:
        raise ConnectionError("the server closed the connection instead of answering")
    status = head.split(b" ", 2)[1]
    if status in {b"204", b"304"}:
        return head
    return head + (await _body(reader, head))[1]


async def _head(reader: Reader) -> bytes:
    try:
        return await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return b""


async def _body(reader: Reader, head: bytes) -> tuple[bytes, bytes]:
    """(the body, the bytes that carried it)."""
    fields = dict(line.lower().split(b":", 1) for line in head.split(b"\r\n")[1:] if b":" in line)
    if b"chunked" in fields.get(b"transfer-encoding", b""):
        return await _chunks(reader)
    whole = await reader.readexactly(int(fields.get(b"content-length", b"0")))
    return whole, whole


async def _chunks(reader: Reader) -> tuple[bytes, bytes]:
    body, raw = bytearray(), bytearray()
    while True:
        size = await reader.readuntil(b"\r\n")
        chunk = await reader.readexactly(int(size.split(b";")[0], 16) + 2)
        raw += size + chunk
        if len(chunk) == 2:
            return bytes(body), bytes(raw)
        body += chunk[:-2]


REDIS = Protocol(redis_request, redis_reply, lambda request: request.name == "SUBSCRIBE")
HTTP = Protocol(http_request, http_reply, lambda request: False, may_rest=True)
