"""Requests byte by byte, as no client library would send them, and what they cost the process that gets them."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

from tests.faults.groups import webhook
from tests.faults.servers import Process
from tests.patience import PATIENCE_SECONDS

PATH = "/alerts/alertmanager"


async def raw(
    web: Process, headers: bytes, body: bytes = webhook(1), path: str = PATH, source: str = "127.0.0.1"
) -> tuple[int, str]:
    """One request from an address of this machine; gives the status, 0 when the connection was cut, and the answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", web.port, local_addr=(source, 0))
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {len(body)}\r\n".encode()
    writer.write(head + headers + b"\r\n" + body)
    try:
        answer = (await asyncio.wait_for(reader.read(), PATIENCE_SECONDS)).decode("utf-8", "replace")
    except ConnectionError:
        answer = ""
    writer.close()
    return (int(answer.split(" ")[1]) if answer else 0), answer


async def sent(web: Process, headers: bytes, pieces: AsyncIterator[bytes]) -> int:
    """Send pieces of a body until the server has answered or they are over; gives the status, 0 when it was cut."""
    reader, writer = await asyncio.open_connection("127.0.0.1", web.port)
    writer.write(f"POST {PATH} HTTP/1.1\r\nHost: x\r\n".encode() + headers + b"\r\n")
    answered = asyncio.create_task(reader.readline())
    try:
        async for piece in pieces:
            if answered.done():
                break
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(0)
    except ConnectionError:
        await asyncio.sleep(0)
    if writer.can_write_eof() and not answered.done():
        await asyncio.sleep(0.3)
        with contextlib.suppress(OSError):  # the server may have closed the connection already
            writer.write_eof()
    try:
        line = await asyncio.wait_for(answered, PATIENCE_SECONDS)
    except ConnectionError:
        line = b""
    writer.close()
    return int(line.split(b" ")[1]) if line else 0


def forget_peak(process: Process) -> int:
    """Begin to measure a process's largest memory anew; gives what it has now, in KiB."""
    Path(f"/proc/{process.pid}/clear_refs").write_text("5", "ascii")
    return peak(process)


def peak(process: Process) -> int:
    """The most memory that a process had since `forget_peak`, in KiB."""
    text = Path(f"/proc/{process.pid}/status").read_text("utf-8")
    return int(text.partition("VmHWM:")[2].split()[0])
