"""From a webhook to Slack's door: `python -m tests.bench.intake`. Prints medians and ratios of one run.

Beside Tailback, which stores durably before it answers, run a bare Starlette handler that posts at once, and the same
handler with one durable Redis write before. All three are processes of their own, post to the same stub of Slack and
are measured from the first byte of the webhook to the moment the stub has read `chat.postMessage`.
"""

import asyncio
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

import aiohttp

from bot.adapters.redis.embedded import EmbeddedRedis
from bot.playground.serving import serving
from handlers.tools.demo import free_port
from tests.bench.product import TOKEN, product
from tests.bench.stub import SlackStub

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
    labels = {"alertname": "QueueTooLong", "queue": f"pool-{number}", "severity": "page", "team": "ci"}
    alert = {
        "status": "firing",
        "labels": labels,
        "annotations": {"summary": f"pool-{number}: 14 jobs waiting, oldest 114 min"},
        "startsAt": "2026-01-05T18:23:00.000Z",
        "endsAt": "0001-01-01T00:00:00Z",
        "generatorURL": "http://prometheus.example/graph",
        "fingerprint": f"{number:016x}",
    }
    group = {"queue": f"pool-{number}"}
    body = {
        "version": "4",
        "groupKey": f'{{}}:{{queue="pool-{number}"}}',
        "status": "firing",
        "receiver": "tailback",
        "groupLabels": group,
        "commonLabels": labels,
        "commonAnnotations": {},
        "externalURL": "http://alertmanager.example",
        "truncatedAlerts": 0,
        "alerts": [alert],
    }
    return json.dumps(body).encode()


class Sender:
    """Sends webhooks over one pool of connections."""

    def __init__(self, address: str, session: aiohttp.ClientSession) -> None:
        self._url = f"{address}/alerts/alertmanager"
        self._session = session

    async def send(self, number: int) -> float:
        """Send one; seconds until the answer. Raises RuntimeError unless it was accepted."""
        begun = time.monotonic()
        headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
        async with self._session.post(self._url, data=payload(number), headers=headers) as answer:
            await answer.read()
            if answer.status != 200:
                raise RuntimeError(f"HTTP {answer.status}")
        return time.monotonic() - begun


async def latency(address: str, stub: SlackStub, session: aiohttp.ClientSession, first: int) -> list[float]:
    """Milliseconds from webhook to Slack's door, one at a time on an idle system."""
    sender, found = Sender(address, session), []
    for number in range(first, first + SAMPLES):
        arrived = stub.expect()
        begun = time.monotonic()
        await sender.send(number)
        found.append((await asyncio.wait_for(arrived, 10) - begun) * 1000)
        await asyncio.sleep(0.01)
    return found


async def flood(
    address: str, stub: SlackStub, session: aiohttp.ClientSession, numbers: list[int]
) -> tuple[float, float, float]:
    """(seconds until all were accepted, seconds until `wanted` posts arrived, slowest answer) for webhooks at once."""
    sender, gate = Sender(address, session), asyncio.Semaphore(AT_ONCE)

    async def one(number: int) -> float:
        async with gate:
            return await sender.send(number)

    wanted = len(set(numbers))
    begun, before = time.monotonic(), stub.posts
    slowest = max(await asyncio.gather(*(one(number) for number in numbers)))
    accepted = time.monotonic() - begun
    while stub.posts - before < wanted and time.monotonic() - begun < 60:
        await asyncio.sleep(0.01)
    return accepted, stub.last_post - begun, slowest


async def bare(port: int, slack: str, redis: str) -> asyncio.subprocess.Process:
    """The bare handler as a process; with `redis` it makes one durable write before it posts."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.bench.bare", str(port), slack, redis, stdout=sys.stderr
    )
    for _ in range(200):
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            await asyncio.sleep(0.05)
            continue
        writer.close()
        return process
    raise RuntimeError("the bare handler did not start")


def row(name: str, found: list[float], base: float) -> str:
    """One line of the table."""
    cuts = statistics.quantiles(found, n=20)
    median = statistics.median(found)
    return f"{name:34} {median:8.2f} {cuts[-1]:8.2f} {max(found):8.2f} {median / base:8.2f}"


async def main() -> None:
    """Run everything once and print it."""
    with tempfile.TemporaryDirectory(prefix="tailback-bench-") as name:
        folder, stub = Path(name), SlackStub()
        async with serving(stub.app) as slack, aiohttp.ClientSession() as session:
            redis = EmbeddedRedis(folder / "bare")
            redis_url = await redis.start()
            results: dict[str, list[float]] = {}
            for label, url in (("bare handler, posts at once", ""), ("bare handler, one durable write", redis_url)):
                port = free_port()
                process = await bare(port, slack, url)
                results[label] = await latency(f"http://127.0.0.1:{port}", stub, session, 0)
                process.terminate()
                await process.wait()
            await redis.stop()
            async with product(folder / "product", slack, TOML) as address:
                await latency(address, stub, session, 1_000_000)
                results["Tailback, stored before answering"] = await latency(address, stub, session, 2_000_000)
                base = statistics.median(results["bare handler, posts at once"])
                print(f"{'webhook to Slack, ms':34} {'median':>8} {'p95':>8} {'max':>8} {'ratio':>8}")
                for label, found in results.items():
                    print(row(label, found, base))
                accepted, posted, slowest = await flood(address, stub, session, list(range(GROUPS)))
                print(
                    f"\n{GROUPS} groups at once: all accepted in {accepted:.2f} s ({GROUPS / accepted:,.0f}/s), "
                    f"all threads open after {posted:.2f} s ({GROUPS / posted:,.0f} threads/s), "
                    f"slowest answer {slowest * 1000:.0f} ms"
                )
                before = stub.posts
                accepted, _, slowest = await flood(address, stub, session, [GROUPS + 1] * REPEATS)
                await asyncio.sleep(1)
                print(
                    f"{REPEATS} repeats of one alert: accepted in {accepted:.2f} s ({REPEATS / accepted:,.0f}/s), "
                    f"{stub.posts - before} thread, slowest answer {slowest * 1000:.0f} ms"
                )


if __name__ == "__main__":
    asyncio.run(main())
