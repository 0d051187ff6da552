"""What more processes bring: `python -m tests.bench.replicas`. Prints incidents opened per second and p99 of webhooks.

Real processes and a real redis-server with its append-only file; this process sends the alerts and is the stand-in for
Slack. With a slow Slack the work waits for answers, so workers add up; with one that answers at once the processors
of the machine are the limit, and this process takes its part of them too. Whatever is done twice ends it with 1.
"""

import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from handlers.worker import AT_ONCE
from tests.faults.checker import mark_of, seen
from tests.faults.house import House, Plan, house
from tests.faults.points import posts
from tests.processes import Zygote

A_SECOND = 150
"""Webhooks sent in each second, whatever comes of those before."""
SLOW_SECONDS = 1.0
CASES = ((1, 1), (1, 2), (1, 3), (2, 3))
"""Webs and workers."""


@dataclass(frozen=True, slots=True)
class Result:
    """What one installation did with the load; times in seconds."""

    webs: int
    workers: int
    opened_a_second: float
    median: float
    p99: float
    shares: tuple[int, ...]
    """How many threads each worker opened."""
    twice: int
    """Groups with a second thread, and messages that reached Slack more than once."""

    def row(self, first: "Result") -> str:
        """A line of the table; ratios to the first installation."""
        name = f"{self.webs} web + {self.workers} worker"
        return (
            f"{name:18} {self.opened_a_second:10.1f} {self.opened_a_second / first.opened_a_second:7.2f} "
            f"{self.median * 1000:10.1f} {self.p99 * 1000:8.1f} {self.p99 / first.p99:7.2f}   "
            f"{'/'.join(map(str, self.shares)):>14} {self.twice:6}"
        )


async def measured(zygote: Zygote, folder: Path, case: tuple[int, int], slack_seconds: float, groups: int) -> Result:
    """Send the load to one installation and wait until every thread stands."""
    webs, workers = case
    plan = Plan(webs=webs, workers=workers, lease="10s", settle="10s", storm=10 * groups, judges_itself=True)
    async with house(zygote, folder, plan, start=False) as home:
        for process in home.processes.values():
            process.env["REDIS_URL"] = f"redis://127.0.0.1:{home.redis.port}/0"
        await home.start()
        home.to_slack.delay(lambda request: slack_seconds > 0, slack_seconds)
        begun = time.monotonic()
        async with asyncio.TaskGroup() as group:
            for number in range(groups):
                group.create_task(home.send_until_taken(number, within=120))
                await asyncio.sleep(max(0.0, begun + number / A_SECOND - time.monotonic()))
        await home.eventually(lambda: len(posted(home)) >= groups, f"{groups} threads", 120)
        opened = groups / (time.monotonic() - begun)
        await asyncio.sleep(2 * slack_seconds + 2)
        waits = sorted(sent.seconds for sent in home.delivered)
        by_worker = Counter(request.who for request in home.to_slack.seen if posts(request))
        shares = tuple(by_worker[worker.name] for worker in home.workers)
        p99 = waits[int(len(waits) * 0.99)]
        return Result(webs, workers, opened, statistics.median(waits), p99, shares, twice(home))


def posted(home: House) -> list[str]:
    """The marks of all messages that the stand-in stored, in the order of its log."""
    return [mark_of(call.args) for call in home.stand_in.log.of("chat.postMessage")]


def twice(home: House) -> int:
    """What was done more than once, by the stand-in's log and by what stands in its channels."""
    return len(seen(home).duplicates) + sum(times - 1 for times in Counter(posted(home)).values())


async def compared(zygote: Zygote, folder: Path, slack_seconds: float, groups: int) -> bool:
    """Run all installations with one speed of Slack and print the table; False when something was done twice."""
    bound = f"a worker waits for {AT_ONCE} answers at most" if slack_seconds else f"{os.cpu_count()} processors"
    print(f"\n{groups} groups, {A_SECOND} webhooks/s, Slack answers after {slack_seconds:g} s ({bound})")
    print(
        f"{'':18} {'incidents/s':>10} {'ratio':>6} {'median ms':>10} {'p99 ms':>8} {'ratio':>7}"
        f"   {'threads by':>14} twice"
    )
    results: list[Result] = []
    for case in CASES:
        place = folder / f"{slack_seconds:g}-{case[0]}-{case[1]}"
        place.mkdir()
        results.append(await measured(zygote, place, case, slack_seconds, groups))
        print(results[-1].row(results[0]), flush=True)
    return not any(result.twice for result in results)


async def main() -> None:
    """Run both tables; exits with 1 when anything was done twice."""
    zygote = Zygote()
    with tempfile.TemporaryDirectory(prefix="tailback-replicas-") as name:
        once = [
            await compared(zygote, Path(name), SLOW_SECONDS, groups=450),
            await compared(zygote, Path(name), 0.0, groups=450),
        ]
    zygote.close()
    sys.exit(0 if all(once) else 1)


if __name__ == "__main__":
    asyncio.run(main())
