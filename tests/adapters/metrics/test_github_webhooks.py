"""GitHub's webhooks alone as a metrics source: what is known without a token, for one label and for all."""

from dataclasses import replace

import pytest

from bot.adapters.jobs.stored import StoredJobs
from bot.adapters.metrics.github_webhooks import ROUND_SECONDS, build
from bot.core.pool.job import JobState, WorkflowJob
from bot.measuring.store_job import take_job
from bot.ports import Unreachable
from tests.adapters.back_end import BackEnd
from tests.builders import NOW
from tests.world import World

JOB = WorkflowJob("1", "r", "build", "pull", "o/r", ("linux",), JobState.QUEUED, NOW - 4000, seen_at=NOW)
OTHER = replace(JOB, id="2", labels=("self-hosted", "GPU"), created_at=NOW - 60)
HELD = replace(JOB, id="3", state=JobState.WAITING)
GITHUB = {"github": {"kind": "github_webhooks"}}


@pytest.mark.parametrize(
    ("label", "queued", "wait"), [("*", 2, 4000.0), ("gpu", 1, 60.0), ("linux", 1, 4000.0), ("", None, None)]
)
async def test_a_pool_is_one_label_or_every_job(label: str, queued: int | None, wait: float | None) -> None:
    """A job that is held counts for none; runners are unknown, and an empty queue until webhooks flow."""
    world = World(metrics=GITHUB, pool={"everything": {"metrics": "github", "label": "*"}})
    for job in (JOB, OTHER, HELD):
        await take_job(world.context, job, f"d{job.id}")
    parts = replace(BackEnd().parts(), jobs=StoredJobs(world.store, world.clock.now), now=world.clock.now)
    keys = {"label": label, "limit": 9}
    shot = await build("g", "", {"kind": "github_webhooks"}, {"p": keys}, parts).snapshot("p")
    assert (shot.queued, shot.oldest_wait_seconds, shot.busy, shot.limit) == (queued, wait, None, 9)


async def test_jobs_are_listed_together_only_for_a_pool_that_has_them_all() -> None:
    world = World()
    await take_job(world.context, JOB, "d1")
    assert await StoredJobs(world.store, world.clock.now).under("*") == ()


async def test_jobs_that_nobody_stores_are_not_known() -> None:
    with pytest.raises(Unreachable, match="cannot be read here"):
        await build("g", "", {"kind": "github_webhooks"}, {"p": {}}, BackEnd().parts()).snapshot("p")


async def test_a_job_that_names_a_group_alone_leaves_other_queues_unknown_until_it_runs() -> None:
    """A queue with a job of its own keeps its number, and a pool of every job counts it."""
    world = World(metrics=GITHUB, pool={"everything": {"metrics": "github", "label": "*"}})
    alone = replace(JOB, id="4", labels=(), created_at=NOW - 600)
    for minute in range(20):
        world.clock.advance(60.0)
        await take_job(world.context, replace(OTHER, id=f"o{minute}", seen_at=world.clock.now()), f"o{minute}")
    await take_job(world.context, alone, "d4")
    parts = replace(BackEnd().parts(), jobs=StoredJobs(world.store, world.clock.now), now=world.clock.now)
    pools = {"linux": {}, "gpu": {}, "everything": {"label": "*"}}
    source = build("g", "", {"kind": "github_webhooks"}, pools, parts)

    async def queued() -> list[int | None]:
        return [(await source.snapshot(pool)).queued for pool in pools]

    assert await queued() == [None, 20, 21]
    now = world.clock.now()
    started = replace(alone, state=JobState.IN_PROGRESS, started_at=now, runner="r-1", seen_at=now)
    await take_job(world.context, started, "d5")
    world.clock.advance(ROUND_SECONDS)
    assert await queued() == [0, 20, 20]


async def test_a_job_that_has_just_asked_for_a_group_is_not_waited_for() -> None:
    """Machines of GitHub's own take such jobs within seconds."""
    world = World(metrics=GITHUB)
    for minute in range(20):
        world.clock.advance(60.0)
        await take_job(world.context, replace(OTHER, id=f"o{minute}", seen_at=world.clock.now()), f"o{minute}")
    await take_job(world.context, replace(JOB, labels=(), created_at=world.clock.now() - 60), "d")
    parts = replace(BackEnd().parts(), jobs=StoredJobs(world.store, world.clock.now), now=world.clock.now)
    shot = await build("g", "", {"kind": "github_webhooks"}, {"linux": {}}, parts).snapshot("linux")
    assert shot.queued == 0
