"""GitHub as a large organization has it, in simulated time: `python -m tests.bench.large_github`.

The list of runs takes 12 s a page whatever its size (cli/cli#6560 reports 11 s, then 502), 2,500 runners take 1.2 s a
page, and every 40th request ends with a 502. All jobs come by webhooks, as the documentation asks.
"""

import asyncio
from dataclasses import dataclass, field, replace

import httpx

from bot.adapters.build_context import BuildContext
from bot.adapters.http.client import HttpPool
from bot.adapters.metrics.github import build
from bot.core.pool.job import JobState, WorkflowJob
from bot.core.pool.merge import age_of
from bot.core.pool.pool import Snapshot
from tests.adapters.back_end import parts_with
from tests.fakes import FakeClock
from tests.fakes_jobs import FakeJobs
from tests.virtual_time import run

BEGIN = 1_800_000_000.0
RUNNERS, RUNS = 2500, {"queued": 40, "in_progress": 250, "waiting": 0, "pending": 0}
POOLS = [f"pool{number}" for number in range(40)]
POLL_SECONDS, FRESH_SECONDS = 30.0, 61.0


@dataclass
class LargeGitHub:
    """Answers slowly, and sometimes with an error."""

    run_page_seconds: float = 12.0
    runner_page_seconds: float = 1.2
    each_fails: int = 40
    calls: int = 0
    failed: int = 0
    sizes: set[str] = field(default_factory=set)
    latest_size: str = ""

    async def answer(self, request: httpx.Request) -> httpx.Response:
        """One page."""
        self.calls += 1
        query, path = request.url.params, request.url.path
        runs = path.endswith("/actions/runs")
        await asyncio.sleep(self.run_page_seconds if runs else self.runner_page_seconds)
        if self.calls % self.each_fails == 0:
            self.failed += 1
            return httpx.Response(502, text="<html>Server Error</html>")
        size, page = int(query["per_page"]), int(query.get("page", "1"))
        if runs:
            self.latest_size = query["per_page"]
            self.sizes.add(self.latest_size)
            key, total = "workflow_runs", RUNS[query["status"]]
        else:
            key, total = "runners", RUNNERS
        first, last = (page - 1) * size, max(1, -(-total // size))
        rows = [row(key, number, query.get("status", "")) for number in range(first, min(total, first + size))]
        link = f'<{request.url.copy_set_param("page", last)}>; rel="last"' if page < last else ""
        left = {
            "x-ratelimit-remaining": "9000",
            "x-ratelimit-reset": str(int(BEGIN) + 7200),
            "x-ratelimit-limit": "15000",
        }
        return httpx.Response(200, json={"total_count": total, key: rows}, headers={"link": link, **left})


def row(key: str, number: int, status: str) -> dict[str, object]:
    """A runner, or a run."""
    if key == "runners":
        labels = [{"name": POOLS[number % len(POOLS)]}]
        return {"id": number, "status": "online", "busy": number % 3 > 0, "labels": labels}
    at = "2027-01-15T07:00:00Z"
    return {"id": f"{status}{number}", "status": status, "created_at": at, "updated_at": at, "run_attempt": 1}


@dataclass(frozen=True)
class Result:
    """What the measurements of one hour were."""

    known_after: int
    """The measurement of each pool after which all figures were known."""
    stale: int
    """Later measurements with an unknown figure, or one that was older than two polls."""
    oldest_seconds: float
    calls_per_hour: int
    failed: int


async def measured(github: LargeGitHub, minutes: int = 60, budget: int = 60) -> Result:
    """Measure forty pools twice a minute, as a worker does while incidents are open."""
    loop, clock = asyncio.get_running_loop(), FakeClock(BEGIN)
    jobs = webhooks(clock)
    async with HttpPool(httpx.MockTransport(github.answer)) as wire:
        parts: BuildContext = replace(parts_with(wire, {"T": "token"}), now=lambda: BEGIN + loop.time(), jobs=jobs)
        parts = replace(parts, limits=replace(parts.limits, reading=4.0))
        table = {"kind": "github", "organizations": ["big"], "repositories": ["big/engine"], "token_env": "T"}
        raw = {**table, "url": "https://github.test", "budget": budget}
        source = build("main", "[metrics.main]", raw, {pool: {} for pool in POOLS}, parts)
        known, stale, oldest = 0, 0, 0.0
        for number in range(1, int(minutes * 60 / POLL_SECONDS) + 1):
            began = loop.time()
            clock.advance(BEGIN + began - clock.now())
            jobs.heard_for(POLL_SECONDS)
            looks = await asyncio.gather(*(source.snapshot(pool) for pool in POOLS), return_exceptions=True)
            ages = [age(look, BEGIN + loop.time()) for look in looks]
            if None not in ages:
                known = known or number
                oldest = max(oldest, *(one for one in ages if one is not None))
            stale += bool(known) and (None in ages or max(one or 0.0 for one in ages) > FRESH_SECONDS)
            await asyncio.sleep(POLL_SECONDS - (loop.time() - began))
    return Result(known, stale, oldest, round(github.calls * 60 / minutes), github.failed)


def webhooks(clock: FakeClock) -> FakeJobs:
    """A waiting job of every run, and half an hour of webhooks without a gap."""
    jobs = FakeJobs(clock)
    jobs.heard_for(1800)
    for status, number in RUNS.items():
        for one in range(number):
            state = JobState.QUEUED if status == "queued" else JobState.IN_PROGRESS
            label, run = POOLS[one % len(POOLS)], f"{status}{one}"
            job = WorkflowJob(f"j{run}", run, "test", "ci", "big/engine", (label,), state, created_at=BEGIN - 300)
            jobs.tell(replace(job, seen_at=BEGIN, started_at=BEGIN - 60 if state is JobState.IN_PROGRESS else None))
    return jobs


def age(look: Snapshot | BaseException, now: float) -> float | None:
    """Age of the oldest of the figures; None if one of them is unknown."""
    if isinstance(look, BaseException) or look.queued is None or look.busy is None or look.idle is None:
        return None
    return now - min(look.at, age_of(look, "busy"))


def main() -> None:
    """Print one hour."""
    github = LargeGitHub()
    print(run(measured(github)), "pages of", sorted(github.sizes))


if __name__ == "__main__":
    main()
