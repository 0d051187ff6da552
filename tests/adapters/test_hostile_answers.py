"""Answers that are made to hurt: every client refuses them within 50 MB, and says what is wrong."""

import asyncio
import contextlib
import gc
import gzip
import resource
import tracemalloc
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from bot.ports import Unreachable
from tests.adapters.back_end import patient_pool
from tests.answering import Listeners

MIB = 1024 * 1024
JSON = b"Content-Type: application/json\r\n"


def whole(body: bytes, *headers: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\n" + JSON + b"".join(headers) + b"Content-Length: %d\r\n\r\n" % len(body) + body


ANSWERS: dict[str, Callable[[], list[bytes]]] = {
    "compressed": lambda: [whole(gzip.compress(b" " * (64 * MIB)), b"Content-Encoding: gzip\r\n")],
    "too long": lambda: [b"HTTP/1.1 200 OK\r\n" + JSON + b"Content-Length: 99999999\r\n\r\n", *[b" " * MIB] * 40],
    "half an answer": lambda: [whole(b" " * MIB)[: MIB // 2]],
}


@asynccontextmanager
async def hostile(pieces: list[bytes]) -> AsyncIterator[str]:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            await reader.readuntil(b"\r\n\r\n")
            for piece in pieces:
                writer.write(piece)
                await writer.drain()

    async with Listeners() as listeners:
        yield f"http://127.0.0.1:{await listeners.listen(answer)}"


async def by_back_end(url: str) -> object:
    async with patient_pool() as wire:
        return await wire.http("Grafana", url).send_json("GET")


@pytest.mark.parametrize("name", ANSWERS)
async def test_a_hostile_answer_is_refused_cheaply(name: str) -> None:
    pieces = ANSWERS[name]()
    async with hostile([whole(b"[]")]) as url:  # what the first answer of a process loads is not counted
        with contextlib.suppress(Unreachable):
            await by_back_end(url)
    async with hostile(pieces) as url:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        with pytest.raises(Unreachable) as caught:
            await by_back_end(url)
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 50 * 1024, f"{grown} KiB"
    assert str(caught.value)


async def test_a_refused_answer_is_let_go_before_garbage_is_collected() -> None:
    """That is rare, and whoever answers megabytes once does so again and again."""
    pieces = ANSWERS["too long"]()

    async def ask() -> None:
        async with hostile(pieces) as url:
            for _ in range(3):
                with pytest.raises(Unreachable):
                    await by_back_end(url)

    await ask()  # what is loaded for the first answer stays
    gc.collect()
    gc.disable()
    tracemalloc.start()
    try:
        await ask()
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
        gc.enable()
    assert kept < MIB
