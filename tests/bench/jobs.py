"""GitHub's webhooks: `python -m tests.bench.jobs`. Events a second beside alerts in the same run, and reading a queue.

Tailback runs as a process of its own, web and worker, with durable embedded Redis. Rounds of words about new jobs, of
alerts of new groups and of repeated alerts take turns, so that a busy machine hurts all alike. Bodies have the size of
GitHub's own, about 10 kB.
"""

import asyncio
import json
import statistics
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

import aiohttp

from bot.adapters.github.job_figures import figures
from bot.adapters.jobs.stored import StoredJobs
from bot.adapters.redis.commit import Clocks
from bot.adapters.redis.connect import connect
from bot.adapters.redis.server.embedded import running_url
from bot.adapters.redis.store import RedisStore
from bot.playground.serving import serving
from tests.bench.intake import TOML, Sender, at_once
from tests.bench.product import product
from tests.bench.stub import SlackStub
from tests.sources.github import event, signature

ROUNDS = 5
EVENTS = 1000
WAITING = ROUNDS * EVENTS
AT_ONCE = 32
STEADY_A_SECOND = 100
STEADY_SECONDS = 10
SECRET = "bench-secret"
KIND = "workflow_job_queued"
LABEL = "linux.2xlarge"
FILLER = {
    f"field_{number}_url": f"https://api.github.com/repos/example-org/engine/{number}" * 2 for number in range(70)
}


def body(number: int) -> bytes:
    """One word about a job, as large as GitHub's."""
    created = datetime.fromtimestamp(time.time() - number % 3600, UTC).isoformat()
    whole = json.loads(event(KIND, id=number, created_at=created))
    whole["repository"] |= FILLER
    return json.dumps(whole).encode()


class GitHub:
    """Sends signed webhooks over one pool of connections."""

    def __init__(self, address: str, session: aiohttp.ClientSession) -> None:
        self._url, self._session = f"{address}/github", session

    async def send(self, number: int) -> float:
        """Send one; seconds until the answer. Raises RuntimeError unless it was stored or known."""
        content = body(number)
        headers = {
            "Content-Type": "application/json",
            "X-GitHub-Event": "workflow_job",
            "X-GitHub-Delivery": f"{KIND}-{number}",
            "X-Hub-Signature-256": signature(content, SECRET),
        }
        begun = time.monotonic()
        async with self._session.post(self._url, data=content, headers=headers) as answer:
            await answer.read()
            if answer.status != 200:
                raise RuntimeError(f"HTTP {answer.status}")
        return time.monotonic() - begun


async def steady(github: GitHub) -> list[float]:
    """Milliseconds of each answer at 100 events a second, evenly spaced."""
    begun, sent = time.monotonic(), list[asyncio.Task[float]]()
    for number in range(STEADY_A_SECOND * STEADY_SECONDS):
        await asyncio.sleep(max(0.0, begun + number / STEADY_A_SECOND - time.monotonic()))
        sent.append(asyncio.create_task(github.send(10_000_000 + number)))
    return [seconds * 1000 for seconds in await asyncio.gather(*sent)]


async def reading(url: str) -> None:
    """How long the waiting jobs of a label take to be read and made into figures."""
    store, found = RedisStore(connect(url), Clocks(time.time, time.monotonic)), list[tuple[float, float]]()
    jobs = StoredJobs(store, time.time)
    for _ in range(5):
        begun = time.perf_counter()
        known = await jobs.under(LABEL)
        read = time.perf_counter()
        snapshot = figures(LABEL, known, time.time(), await jobs.line())
        found.append((read - begun, time.perf_counter() - read))
    await store.aclose()
    read_ms, made_ms = (statistics.median(part) * 1000 for part in zip(*found, strict=True))
    print(f"{snapshot.queued:,} waiting jobs of a label: read in {read_ms:.0f} ms, figures in {made_ms:.0f} ms")


async def main() -> None:
    """Run everything once and print it."""
    with tempfile.TemporaryDirectory(prefix="tailback-bench-") as name:
        folder, stub = Path(name), SlackStub()
        async with (
            serving(stub.app) as slack,
            aiohttp.ClientSession() as session,
            product(folder, slack, TOML, GITHUB_WEBHOOK_SECRET=SECRET) as running,
        ):
            github, alerts = GitHub(running.address, session), Sender(running.address, session)
            found: dict[str, list[tuple[float, float]]] = {}
            for number in range(ROUNDS):
                some = range(number * EVENTS, (number + 1) * EVENTS)
                for label, send, numbers in (
                    ("GitHub: new jobs", github.send, some),
                    ("GitHub: words already known", github.send, some),
                    ("alerts: new groups", alerts.send, range(some.start, some.start + EVENTS // 5)),
                    ("alerts: repeats of one", alerts.send, [0] * EVENTS),
                ):
                    begun = time.monotonic()
                    slowest = await at_once(send, numbers, AT_ONCE)
                    speed = len(numbers) / (time.monotonic() - begun)
                    found.setdefault(label, []).append((speed, slowest * 1000))
            print(f"{'events a second, median of rounds':34} {'rate':>8} {'ratio':>8} {'slowest ms':>12}")
            base = statistics.median(speed for speed, _ in found["alerts: repeats of one"])
            for label, rounds in found.items():
                speed = statistics.median(one for one, _ in rounds)
                print(f"{label:34} {speed:8,.0f} {speed / base:8.2f} {max(slow for _, slow in rounds):12.0f}")
            url = await asyncio.to_thread(running_url, folder / "data")
            assert url is not None
            await reading(url)
            answers = await steady(github)
            p95 = statistics.quantiles(answers, n=20)[-1]
            print(
                f"{STEADY_A_SECOND} events a second for {STEADY_SECONDS} s, ms until the answer: "
                f"median {statistics.median(answers):.1f}, p95 {p95:.1f}, slowest {max(answers):.1f}"
            )


if __name__ == "__main__":
    asyncio.run(main())
