"""Words about jobs are stored once each, in any order, and wake nobody."""

import asyncio
from dataclasses import replace

import pytest

from bot.adapters.jobs.stored import StoredJobs
from bot.core.pool.job import JobState, WorkflowJob
from bot.core.record import Conflict, Stored
from bot.measuring.store_job import LEAST_SECONDS, TRIES, StoredJob, take_job
from bot.ports import Unreachable
from tests.builders import NOW, POOL
from tests.world import World

QUEUED = WorkflowJob("1", "r", "build", "pull", "o/r", ("self-hosted", POOL), JobState.QUEUED, NOW - 9, seen_at=NOW)
RUNNING = replace(QUEUED, state=JobState.IN_PROGRESS, started_at=NOW - 2)
ENDED = replace(RUNNING, state=JobState.COMPLETED, completed_at=NOW - 1, runner="i-1")


async def stored(world: World) -> WorkflowJob | None:
    held: Stored[WorkflowJob] | None = await world.store.get(WorkflowJob, "1")
    return held.value if held else None


async def test_a_word_is_stored_with_its_labels_in_one_commit(world: World) -> None:
    assert await take_job(world.context, QUEUED, "d1") is StoredJob.STORED
    assert world.data.commits == 1
    assert await stored(world) == replace(QUEUED, heard_at=NOW)
    jobs = StoredJobs(world.store, world.clock.now)
    assert [job.id for job in await jobs.under(POOL)] == ["1"]
    assert await jobs.line() is not None


async def test_the_same_word_again_is_no_news(world: World) -> None:
    await take_job(world.context, QUEUED, "d1")
    world.clock.advance(30)
    for delivery in ("d1", "d2", ""):
        assert await take_job(world.context, replace(QUEUED, seen_at=world.clock.now()), delivery) is StoredJob.REPEATED
    assert world.data.commits == 1


async def test_words_in_the_wrong_order_leave_the_job_where_it_is(world: World) -> None:
    """A late `queued` does not put a finished job back into the queue."""
    outcomes = [await take_job(world.context, word, f"d{n}") for n, word in enumerate((ENDED, QUEUED, RUNNING))]
    assert outcomes == [StoredJob.STORED, StoredJob.REPEATED, StoredJob.REPEATED]
    assert (found := await stored(world)) is not None
    assert found.state is JobState.COMPLETED


async def test_a_redelivery_after_the_job_was_forgotten_brings_nothing_back(world: World) -> None:
    """The record is gone after an hour; somebody presses Redeliver at GitHub. An end needs no mark: it is past."""
    for number, word in enumerate((QUEUED, RUNNING, ENDED)):
        assert await take_job(world.context, word, f"d{number}") is StoredJob.STORED
    assert set(world.data.marks) == {"github:d0", "github:d1"}
    world.clock.advance(3700)
    assert await stored(world) is None
    again = [await take_job(world.context, word, f"d{n}") for n, word in enumerate((QUEUED, RUNNING, ENDED))]
    assert again == [StoredJob.REPEATED, StoredJob.REPEATED, StoredJob.PAST]
    assert await stored(world) is None


async def test_an_end_that_comes_hours_late_takes_the_job_out_of_the_queue(world: World) -> None:
    """It is kept a moment more as over, so that no late word of before can take its place."""
    await take_job(world.context, QUEUED, "d1")
    world.clock.advance(7200)
    assert await take_job(world.context, replace(ENDED, seen_at=world.clock.now()), "d2") is StoredJob.STORED
    (job,) = await StoredJobs(world.store, world.clock.now).under(POOL)
    assert job.state is JobState.COMPLETED
    world.clock.advance(LEAST_SECONDS + 1)
    assert await StoredJobs(world.store, world.clock.now).under(POOL) == ()


async def test_no_pool_is_measured_because_of_a_job(world: World) -> None:
    await world.opens()
    due = dict(world.data.due)
    for number in range(100):
        await take_job(world.context, replace(QUEUED, id=str(number)), f"d{number}")
    assert world.data.due == due


async def test_words_at_once_about_one_job_end_in_its_newest_state(world: World) -> None:
    """Each reads before any writes; the commit finds out, and the word is looked at again."""
    words = [QUEUED, RUNNING, ENDED] * 3
    outcomes = await asyncio.gather(*(take_job(world.context, word, f"d{n}") for n, word in enumerate(words)))
    assert (found := await stored(world)) is not None
    assert found.state is JobState.COMPLETED
    assert outcomes.count(StoredJob.STORED) <= 3


async def test_a_job_that_is_written_without_end_is_not_stored(world: World) -> None:
    """GitHub then hears 503, and nothing runs for ever."""
    tries = 0

    async def refuses(change: object) -> None:
        nonlocal tries
        tries += 1
        raise Conflict("changed")

    world.store.commit = refuses  # type: ignore[method-assign]  # a store in which somebody else is always first
    with pytest.raises(Unreachable, match="written too often"):
        await take_job(world.context, QUEUED, "d1")
    assert tries == TRIES
