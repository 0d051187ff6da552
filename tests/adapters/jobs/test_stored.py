"""What every keeper of jobs promises: the fake, and the real one on the fake store and on real servers."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from typing import Any

import pytest
import redis

from bot.adapters.jobs import stored
from bot.adapters.jobs.stored import StoredJobs
from bot.context.context import Context
from bot.core.pool.job import HEARD_SECONDS, JobState, WorkflowJob
from bot.core.record import Change
from bot.measuring.store_job import take_job
from bot.ports import Failure, Unreachable, WebhookJobs
from tests.adapters.store_world import AnyStore
from tests.adapters.store_world import World as StoreWorld
from tests.fakes import FakeClock
from tests.fakes_jobs import FakeJobs
from tests.world import World

LATER: dict[str, Any] = {"state": JobState.IN_PROGRESS, "runner": "i-1"}


@dataclass
class Keeper:
    jobs: WebhookJobs
    clock: FakeClock | None = None
    world: StoreWorld | None = None
    context: Context | None = None

    def now(self) -> float:
        return self.world.now() if self.world else self.clock.now() if self.clock else 0.0

    async def tell(self, *jobs: WorkflowJob) -> None:
        for job in jobs:
            if isinstance(self.jobs, FakeJobs):
                self.jobs.tell(job)
            elif self.context:
                await take_job(self.context, job, "")

    def passes(self, seconds: float) -> None:
        if self.world:
            self.world.passes(seconds)
        elif self.clock:
            self.clock.advance(seconds)

    def job(self, number: int, *labels: str, **parts: Any) -> WorkflowJob:
        now = self.now()
        made = WorkflowJob(str(number), "r", "j", "w", "o/r", labels or ("gpu",), JobState.QUEUED, now - 5, seen_at=now)
        return replace(made, **parts)


@pytest.fixture(params=["fake jobs", "fake", "bundled", pytest.param("older", marks=pytest.mark.needs("redis-server"))])
async def keeper(request: pytest.FixtureRequest) -> AsyncIterator[Keeper]:
    if request.param == "fake jobs":
        clock = FakeClock()
        yield Keeper(FakeJobs(clock), clock)
        return
    urls = {"bundled": "redis_url", "older": "older_redis"}
    url = request.getfixturevalue(urls[request.param]) if request.param in urls else None
    world = StoreWorld(url)
    store: AnyStore = world.store()
    context = World().context
    context.store, context.now = store, world.now
    yield Keeper(StoredJobs(store, world.now), None, world, context)
    await world.aclose()


async def test_a_job_stands_under_each_of_its_labels(keeper: Keeper) -> None:
    """In whatever case they are written; a label that was never told of has none."""
    await keeper.tell(keeper.job(1, "self-hosted", "GPU"), keeper.job(2, "gpu"), keeper.job(3, "linux"))
    assert {job.id for job in await keeper.jobs.under("gpu")} == {"1", "2"}
    assert {job.id for job in await keeper.jobs.under("Self-Hosted")} == {"1"}
    assert await keeper.jobs.under("windows") == ()


async def test_a_job_comes_back_as_it_was_told_last(keeper: Keeper) -> None:
    queued = keeper.job(1, "gpu", url="https://x", branch="b")
    await keeper.tell(queued, replace(queued, started_at=keeper.now(), **LATER), queued)
    (job,) = await keeper.jobs.under("gpu")
    assert (job.state, job.runner, job.url, job.heard_at) == (JobState.IN_PROGRESS, "i-1", "https://x", queued.seen_at)


async def test_a_job_that_ended_is_forgotten_after_an_hour(keeper: Keeper) -> None:
    over = {"state": JobState.COMPLETED, "completed_at": keeper.now() - 3600 + 0.3}
    await keeper.tell(
        keeper.job(1, **over), keeper.job(2), keeper.job(3, **{**over, "completed_at": keeper.now() - 3601})
    )
    assert {job.id for job in await keeper.jobs.under("gpu")} == {"1", "2"}
    keeper.passes(0.4)
    assert {job.id for job in await keeper.jobs.under("gpu")} == {"2"}


async def test_a_job_that_waits_is_forgotten_after_three_days(keeper: Keeper) -> None:
    """GitHub has cancelled it long ago, and the word of it was lost."""
    await keeper.tell(keeper.job(1, created_at=keeper.now() - 72 * 3600 + 0.3), keeper.job(2, created_at=keeper.now()))
    assert len(await keeper.jobs.under("gpu")) == 2
    keeper.passes(0.4)
    assert {job.id for job in await keeper.jobs.under("gpu")} == {"2"}


async def test_the_line_is_known_from_the_first_word_on(keeper: Keeper) -> None:
    assert await keeper.jobs.line() is None
    await keeper.tell(keeper.job(1))
    line = await keeper.jobs.line()
    assert line is not None
    assert keeper.now() - 60 <= line.since <= line.last <= keeper.now()


async def test_a_label_with_many_jobs_is_read_in_portions(monkeypatch: pytest.MonkeyPatch, keeper: Keeper) -> None:
    """All of them come, also where the last portion is a short one."""
    monkeypatch.setattr(stored, "PORTION", 3)
    await keeper.tell(*(keeper.job(number) for number in range(10)))
    assert {job.id for job in await keeper.jobs.under("gpu")} == {str(number) for number in range(10)}


async def test_a_store_that_is_down_is_unreachable() -> None:
    """The figures are then unknown, and nobody takes them for zero."""
    world = World()
    world.data.broken = Unreachable("Redis", "no connection", failure=Failure.UNCONNECTED)
    with pytest.raises(Unreachable):
        await StoredJobs(world.store, world.clock.now).under("gpu")
    with pytest.raises(Unreachable):
        await StoredJobs(world.store, world.clock.now).line()


async def test_lists_and_their_members_go_by_themselves(keeper: Keeper) -> None:
    """Nobody has to sweep: whoever's time is over is gone with the next word, and a list without a word goes whole."""
    if keeper.context is None or keeper.world is None:
        return
    store = keeper.context.store
    await store.commit(Change(listed=(("l", "a", 0.2), ("l", "b", HEARD_SECONDS))))
    await store.commit(Change(listed=(("l", "c", 0.2), ("short", "x", 0.2))))
    assert set(await store.listed("l")) == {"a", "b", "c"}
    keeper.passes(0.3)
    assert await store.listed("l") == ("b",)
    assert await store.listed("short") == ()
    await store.commit(Change(listed=(("l", "b", 0.2),)))
    if keeper.world.url is not None:
        with redis.Redis.from_url(keeper.world.url) as client:
            assert client.zrange("{tailback}:list:l", 0, -1) == [b"b"]
            assert client.pttl("{tailback}:list:l") > 1_000_000
            assert client.exists("{tailback}:list:short") == 0
    keeper.passes(0.3)
    assert await store.listed("l") == ()
