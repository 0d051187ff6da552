"""From a webhook to Slack's API: `python -m tests.bench 1 intake`.

The baseline is a small bot (`tests.bench.small_bot`) that makes one durable Redis write before it posts. Both are
processes of their own, post to the same stub of Slack and are measured from the first byte of the webhook to the moment
the stub has read `chat.postMessage`. The CPU time is that of the process, without Redis.
"""

import asyncio
import json
import statistics
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp

from bot.adapters.redis.server.embedded import EmbeddedRedis
from bot.playground.serving import serving
from tests.bench.product import TOKEN, cpu_seconds, product
from tests.bench.stub import SlackStub
from tests.bench.table import Row
from tests.ports import free_port
from tests.webhooks import NEVER, Json, webhook

SAMPLES = 200
GROUPS = 2000
REPEATS = 5000
AT_ONCE = 64
TOML = """\
[slack]
channel = "C0BENCH"
pace = "0s"
edit_pace = "0s"
"""


def payload(number: int) -> bytes:
    """An Alertmanager webhook of one group of its own."""
    labels = {"alertname": f"QueueTooLong{number}", "queue": f"pool-{number}", "severity": "page", "team": "ci"}
    alert: Json = {
        "status": "firing",
        "labels": labels,
        "annotations": {"summary": f"pool-{number}: 14 jobs waiting, oldest 114 min"},
        "startsAt": "2026-01-05T18:23:00.000Z",
        "endsAt": NEVER,
        "generatorURL": "http://prometheus.example/graph",
        "fingerprint": f"{number:016x}",
    }
    group = {"queue": f"pool-{number}"}
    return json.dumps(webhook(f'queue="pool-{number}"', group, [alert], labels)).encode()


class Sender:
    """Sends webhooks over one pool of connections."""

    def __init__(self, address: str, session: aiohttp.ClientSession) -> None:
        self._url = f"{address}/alerts/alertmanager"
        self._session = session

    async def send(self, number: int) -> float:
        """Send one, again after a 503 as Alertmanager does; seconds until it was accepted. Raises RuntimeError."""
        begun = time.monotonic()
        headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
        while True:
            async with self._session.post(self._url, data=payload(number), headers=headers) as answer:
                said = await answer.text()
            if answer.status == 200:
                return time.monotonic() - begun
            if answer.status != 503:
                raise RuntimeError(f"HTTP {answer.status}: {said}")
            await asyncio.sleep(0.1)


async def latency(address: str, stub: SlackStub, session: aiohttp.ClientSession, first: int) -> list[float]:
    """Milliseconds from webhook to Slack's API, one at a time on an idle system."""
    sender, found = Sender(address, session), []
    for number in range(first, first + SAMPLES):
        arrived = stub.expect()
        begun = time.monotonic()
        await sender.send(number)
        found.append((await asyncio.wait_for(arrived, 10) - begun) * 1000)
        await asyncio.sleep(0.01)
    return found


async def at_once(send: Callable[[int], Awaitable[float]], numbers: Sequence[int], most: int) -> float:
    """The slowest answer with at most so many requests on their way at any time."""
    gate = asyncio.Semaphore(most)

    async def one(number: int) -> float:
        async with gate:
            return await send(number)

    return max(await asyncio.gather(*map(one, numbers)))


async def flood(
    address: str, stub: SlackStub, session: aiohttp.ClientSession, numbers: Sequence[int]
) -> tuple[float, float]:
    """(seconds until a post arrived for each of them, slowest answer) for webhooks at once."""
    begun, wanted = time.monotonic(), stub.posts + len(set(numbers))
    slowest = await at_once(Sender(address, session).send, numbers, AT_ONCE)
    while stub.posts < wanted and time.monotonic() - begun < 60:
        await asyncio.sleep(0.01)
    return stub.last_post - begun, slowest


@asynccontextmanager
async def small_bot(slack: str, redis: str) -> AsyncIterator[tuple[str, int]]:
    """The address and the process id of the baseline."""
    port = free_port()
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.bench.small_bot", str(port), slack, redis, stdout=sys.stderr
    )
    for _ in range(200):
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            await asyncio.sleep(0.05)
            continue
        writer.close()
        break
    else:
        raise RuntimeError("the small bot did not start")
    yield f"http://127.0.0.1:{port}", process.pid
    process.terminate()
    await process.wait()


async def measured(folder: Path) -> list[Row]:
    """One run: the small bot, then Tailback."""
    stub = SlackStub()
    async with serving(stub.app) as slack, aiohttp.ClientSession() as session:
        redis = EmbeddedRedis(folder / "small")
        async with small_bot(slack, await redis.start()) as (address, pid):
            base = await figures(address, pid, stub, session)
        await redis.stop()
        async with product(folder / "product", slack, TOML) as running:
            ours = await figures(running.address, running.pid, stub, session)
            await stub.quiet()
            before = stub.posts
            await flood(running.address, stub, session, [GROUPS + 1] * REPEATS)
            await asyncio.sleep(1)
            repeated = float(stub.posts - before)
    names = (
        ("webhook to Slack on an idle system, ms", "at most 2.2 x"),
        (f"{GROUPS} groups at once: threads a second", "at least 0.5 x"),
        (f"{GROUPS} groups at once: slowest answer, s", ""),
        ("CPU time of an alert, ms", "at most 1.2 ms"),
    )
    rows = [Row(name, (one,), (other,), goal) for (name, goal), one, other in zip(names, ours, base, strict=True)]
    return [*rows, Row(f"threads after {REPEATS} repeats of one alert", (repeated,), (), "1")]


async def figures(
    address: str, pid: int, stub: SlackStub, session: aiohttp.ClientSession
) -> tuple[float, float, float, float]:
    """(median milliseconds of one at a time, threads a second, slowest answer in s, milliseconds of CPU an alert)."""
    await latency(address, stub, session, 1_000_000)
    one = statistics.median(await latency(address, stub, session, 2_000_000))
    spent = cpu_seconds(pid)
    posted, slowest = await flood(address, stub, session, range(GROUPS))
    return one, GROUPS / posted, slowest, (cpu_seconds(pid) - spent) / GROUPS * 1000
