"""Floods of connections through the shipped proxies, and what honest alerts meet meanwhile."""

import asyncio
import contextlib
import resource
import socket
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from tests.deploy.proxies import caddy, nginx
from tests.faults.groups import webhook
from tests.security.attacks import TOKEN, Target, target

CONNECTIONS = 5000
SENDERS = 250
"""Addresses of the flood that comes from many."""
HELD_SECONDS = 3.0
"""How long the flood stays after it is complete."""
EVERY_SECONDS = 0.1
"""Pause between two honest alerts."""

Proxy = Callable[[Path, int], AbstractContextManager[httpx.Client]]

_HEAD = "POST /slack/events HTTP/1.1\r\nHost: tailback.example.com\r\n"
KINDS = {
    "idle": "",
    "half a head": _HEAD,
    "one byte of a body": f"{_HEAD}Content-Length: 1048576\r\n\r\nx",
    "WebSocket upgrade": "GET /slack/events HTTP/1.1\r\nHost: tailback.example.com\r\nConnection: Upgrade\r\n"
    "Upgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
    "unsigned post": f"{_HEAD}Content-Length: 2\r\n\r\n{{}}",
}


@dataclass(frozen=True)
class Met:
    """What honest alerts met during one flood."""

    sent: int
    refused: int
    slowest_seconds: float


def plain_nginx(folder: Path, upstream: int) -> AbstractContextManager[httpx.Client]:
    """Without TLS: what is limited is the same, and thousands of handshakes would measure this machine."""
    return nginx(folder, upstream, tls=False)


PROXIES: dict[str, Proxy] = {"nginx": plain_nginx, "Caddy": caddy}


@contextmanager
def flood(url: str, kinds: tuple[str, ...], *, many: bool, most: int = CONNECTIONS) -> Iterator[None]:
    """Open connections in turn of each kind, from one address of this machine or from many, and hold them."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(2 * CONNECTIONS + 1000, hard), hard))
    at = urlsplit(url)
    held: list[socket.socket] = []
    try:
        for number in range(most):
            own = f"127.1.0.{1 + number % SENDERS}" if many else "127.1.0.1"
            with contextlib.suppress(OSError):
                made = socket.create_connection((at.hostname or "", at.port or 0), timeout=5.0, source_address=(own, 0))
                held.append(made)
                made.sendall(KINDS[kinds[number % len(kinds)]].encode())
        yield
    finally:
        for one in held:
            one.close()


async def honest(url: str, over: asyncio.Event) -> Met:
    """Alerts of a known sender, each by a connection of its own as after a pause, until the flood is over."""
    sent = refused = 0
    slowest = 0.0
    while not over.is_set():
        began = time.monotonic()
        sent += 1
        async with httpx.AsyncClient(base_url=url, trust_env=False, timeout=10.0) as client:
            try:
                known = {"Authorization": f"Bearer {TOKEN}"}
                answer = await client.post("/alerts/alertmanager", content=webhook(sent % 5), headers=known)
                refused += answer.status_code != 200
            except httpx.HTTPError:
                refused += 1
        slowest = max(slowest, time.monotonic() - began)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(over.wait(), EVERY_SECONDS)
    return Met(sent, refused, slowest)


async def met(web: Target, proxy: Proxy, kinds: tuple[str, ...], *, many: bool, seconds: float = HELD_SECONDS) -> Met:
    """What honest alerts meet while a flood builds up through the proxy and stays for so long."""
    over = asyncio.Event()
    with tempfile.TemporaryDirectory() as folder, proxy(Path(folder), web.port) as client:
        url = str(client.base_url)
        alerts = asyncio.create_task(honest(url, over))
        came, go = asyncio.Event(), asyncio.Event()
        loop = asyncio.get_running_loop()

        def pour() -> None:
            with flood(url, kinds, many=many):
                loop.call_soon_threadsafe(came.set)
                asyncio.run_coroutine_threadsafe(go.wait(), loop).result()

        pouring = asyncio.create_task(asyncio.to_thread(pour))
        await came.wait()
        await asyncio.sleep(seconds)  # the flood stands meanwhile; nothing announces what did not happen
        over.set()
        found = await alerts
        go.set()
        await pouring
    return found


async def table() -> AsyncIterator[str]:
    """One row for each proxy and flood, in Markdown."""
    yield "| proxy | flood of 5,000 | from | honest alerts refused | slowest | lines in Tailback's log |"
    yield "|---|---|---|---|---|---|"
    with tempfile.TemporaryDirectory() as folder:
        async with target(Path(folder), LOG_LEVEL="WARNING") as web:
            log = Path(folder) / "web.log"
            for (name, proxy), kind, many in product(PROXIES.items(), KINDS, (False, True)):
                before = log.read_text().count("\n")
                one = await met(web, proxy, (kind,), many=many)
                lines = log.read_text().count("\n") - before
                origin = f"{SENDERS} addresses" if many else "one address"
                refused = f"{one.refused} of {one.sent}"
                yield f"| {name} | {kind} | {origin} | {refused} | {one.slowest_seconds:.2f} s | {lines} |"
