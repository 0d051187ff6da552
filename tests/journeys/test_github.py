"""GitHub tells of jobs, signed, over real HTTP into a real Redis: out come the figures of a queue."""

import asyncio
import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest_asyncio

from bot.adapters.github.job_figures import figures
from bot.adapters.jobs.stored import StoredJobs
from bot.adapters.redis.commit import Clocks
from bot.adapters.redis.connect import connect
from bot.adapters.redis.store import RedisStore
from bot.core.pool.job import minute_of
from bot.core.pool.pool import Snapshot
from bot.core.record import Change
from tests.builders import gaps
from tests.journeys.setup import LINUX, Setup
from tests.journeys.world import World, running
from tests.patience import PATIENCE_SECONDS
from tests.sources.github import event, signature

OLD, NEW = "the-secret-until-today", "the-secret-from-today"


class WithGitHub(Setup):
    """An installation that GitHub's webhooks reach, in the middle of a rotation of the secret."""

    def environment(self, file: Path, slack: str, *, port: int, redis_url: str) -> dict[str, str]:
        given = super().environment(file, slack, port=port, redis_url=redis_url)
        return {**given, "GITHUB_WEBHOOK_SECRET": f"{OLD},{NEW}"}


@pytest_asyncio.fixture
async def world(tmp_path: Path, redis_url: str) -> AsyncIterator[World]:
    async with running(tmp_path, redis_url, WithGitHub()) as made:
        yield made


class GitHub:
    """GitHub's side of a webhook: every delivery has an id and a signature."""

    def __init__(self, product: str, client: httpx.AsyncClient) -> None:
        self._url, self._client, self._number = f"{product}/github", client, 0

    async def tells(self, body: bytes, secret: str = NEW, delivery: str = "") -> httpx.Response:
        self._number += 1
        headers = {
            "Content-Type": "application/json",
            "X-GitHub-Delivery": delivery or f"72d3162e-cc78-11e3-81ab-{self._number:012}",
            "X-GitHub-Event": "workflow_job",
            "X-Hub-Signature-256": signature(body, secret),
        }
        return await self._client.post(self._url, content=body, headers=headers)


def job_event(number: int, kind: str, *, created: float, started: float = 0.0, ended: float = 0.0) -> bytes:
    """One word about a job for linux.2xlarge; minutes ago."""
    times = {"created_at": written(created), "started_at": written(started or created)}
    more = {"completed_at": written(ended)} if ended else {}
    runner = {"runner_name": f"i-{number}"} if started else {}
    link = f"https://github.com/example-org/engine/actions/runs/5/job/{number}"
    return event(f"workflow_job_{kind}", id=number, html_url=link, name=f"test {number}", **times, **more, **runner)


def written(minutes_ago: float) -> str:
    return datetime.fromtimestamp(time.time() - minutes_ago * 60, UTC).isoformat()


async def shown(redis_url: str, heard_minutes: int = 0) -> Snapshot:
    """The figures that any process can make of what is stored; GitHub may have been heard for longer than this test."""
    store = RedisStore(connect(redis_url), Clocks(time.time, time.monotonic))
    try:
        minutes = [minute_of(time.time() - minute * 60) for minute in range(heard_minutes)]
        await store.commit(Change(listed=tuple(("heard", minute, 600.0) for minute in minutes)))
        jobs = StoredJobs(store, time.time)
        return figures(LINUX, await jobs.under(LINUX), time.time(), await jobs.line())
    finally:
        await store.aclose()


async def test_signed_webhooks_become_figures(world: World, redis_url: str) -> None:
    """14 wait, the oldest for 114 min; some words are lost, late, doubled or forged, and the figures are right."""
    async with httpx.AsyncClient(trust_env=False, timeout=PATIENCE_SECONDS) as client:
        github = GitHub(world.product, client)
        queue = [job_event(100 + number, "queued", created=114 - number) for number in range(14)]
        answers = list(await asyncio.gather(*(github.tells(body) for body in queue)))
        answers += [await github.tells(queue[0], OLD), await github.tells(queue[0], delivery="again")]
        assert [answer.json()["outcome"] for answer in answers] == ["stored"] * 14 + ["repeated"] * 2
        ran = job_event(200, "completed", created=12, started=10, ended=2)
        for body in (
            job_event(300, "in_progress", created=40, started=9),
            job_event(300, "queued", created=40),
            ran,
            job_event(400, "queued_waiting", created=50),
        ):
            assert (await github.tells(body)).status_code == 200
        assert (await github.tells(job_event(500, "queued", created=500), "a-guess")).status_code == 401
    found = await shown(redis_url)
    assert (found.queued, round((found.oldest_wait_seconds or 0) / 60)) == (14, 114)
    assert (found.waiting[0].name, found.waiting[0].repository) == ("pull / test 100", "example-org/engine")
    assert found.waiting[0].url.endswith("/job/100")
    assert (round((found.running_longest_seconds or 0) / 60), round((found.duration_p50_seconds or 0) / 60)) == (9, 8)
    assert found.arrivals_per_minute is None
    assert "this needs 15 minutes" in gaps(found)[0]
    later = await shown(redis_url, heard_minutes=17)
    rates = (later.arrivals_per_minute, later.starts_per_minute, later.completions_per_minute)
    assert [round((rate or 0) * 15, 3) for rate in rates] == [1, 2, 1]
    assert (later.queued, gaps(later)) == (14, ())


async def test_a_queue_that_empties_is_empty(world: World, redis_url: str) -> None:
    """The same jobs start, and nothing waits any more; while the line is young that is not claimed."""
    async with httpx.AsyncClient(trust_env=False, timeout=PATIENCE_SECONDS) as client:
        github = GitHub(world.product, client)
        for number in range(3):
            await github.tells(job_event(number, "queued", created=20))
        assert (await shown(redis_url)).queued == 3
        for number in range(3):
            await github.tells(job_event(number, "in_progress", created=20, started=0.1))
    assert (await shown(redis_url)).queued is None
    assert (await shown(redis_url, heard_minutes=17)).queued == 0
