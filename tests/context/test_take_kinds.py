"""Single jobs of a measurement: what is usual is learnt, which jobs wait lies apart from the pool."""

from dataclasses import replace

import pytest

from bot.context.take_kinds import apart, with_jobs, with_usual
from bot.core.kinds.jobs_now import JobsNow
from bot.core.kinds.paces import EndedJob, JobGroup, KindPace, RunningJob
from bot.core.kinds.store import JobKinds
from bot.core.pool.pool import Pool, Snapshot
from bot.core.record import Change
from tests.builders import NOW, POOL
from tests.world import World

GROUP = JobGroup("pull / test (gpu)", "gpu", "o/r", 9, 2400.0, 3000.0, 2400.0)
RUNS = RunningJob("pull / test", 9000.0, "o/r", "https://ci.example/1")
HOUR = 3600.0


def sample_of(at: float, seconds: float = 600.0, **more: object) -> Snapshot:
    ended = tuple(EndedJob("pull / test", at - 60 * n, seconds) for n in range(6))
    pace = (KindPace("pull / test", seconds, running=8, lower_seconds=seconds),)
    shot = Snapshot(POOL, at, queued=9, oldest_wait_seconds=2400.0, starts_per_minute=2.0, ended=ended, kinds=pace)
    return replace(shot, **more)  # type: ignore[arg-type]  # figures of a sample


async def test_what_is_usual_is_learnt_from_jobs_that_ended_and_compared_with_now() -> None:
    world = World()
    for hour in range(8):
        at = NOW + hour * HOUR
        pool, puts = await with_usual(world.context, Pool(POOL), Pool(POOL, (sample_of(at),)))
        await world.store.commit(Change(puts=puts))
    held = await world.store.get(JobKinds, POOL)
    assert held is not None
    assert held.value.packed
    slow = sample_of(NOW + 9 * HOUR, 1800.0)
    pool, _ = await with_usual(world.context, Pool(POOL), Pool(POOL, (slow,)))
    assert pool.latest is not None
    (pace,) = pool.latest.kinds
    assert pace.slower
    assert pace.usual_seconds is not None
    assert 500 < pace.usual_seconds < 700


async def test_which_jobs_wait_and_run_lies_in_a_record_of_its_own() -> None:
    world = World()
    sample = sample_of(NOW, composition=(GROUP,), running=(RUNS,))
    pool, puts = await with_usual(world.context, Pool(POOL), Pool(POOL, (sample,)))
    await world.store.commit(Change(puts=puts))
    held = await world.store.get(JobsNow, POOL)
    assert held is not None
    assert (held.value.at, held.value.composition, held.value.running) == (NOW, (GROUP,), (RUNS,))
    stored = apart(pool).latest
    assert stored is not None
    assert (stored.composition, stored.running, stored.ended) == ((), (), ())
    again = (await with_jobs(world.context, apart(pool))).latest
    assert again is not None
    assert (again.composition, again.running) == ((GROUP,), (RUNS,))
    newer = Pool(POOL, (Snapshot(POOL, NOW + 30, queued=3),))
    assert await with_jobs(world.context, newer) is newer


@pytest.mark.parametrize(("jobs", "found"), [((9, 9, 9), True), ((9, 8, 7), False), ((9, 9, 8), False)])
async def test_a_group_is_left_when_it_loses_no_job_while_others_start(jobs: tuple[int, ...], found: bool) -> None:
    """A burst that drains at a limit waits as long, and becomes smaller."""
    world, before, overtaken = World(), Pool(POOL), [False]
    for look, number in enumerate(jobs):
        sample = sample_of(NOW + 150 * look, composition=(replace(GROUP, jobs=number),))
        pool, puts = await with_usual(world.context, before, Pool(POOL, (sample,)))
        await world.store.commit(Change(puts=puts))
        assert pool.latest is not None
        overtaken.append(bool(pool.latest.overtaken))
    assert overtaken == [False, False, False, found]


async def test_a_sample_without_single_jobs_writes_nothing() -> None:
    world = World()
    plain = Pool(POOL, (Snapshot(POOL, NOW, queued=3),))
    assert await with_usual(world.context, Pool(POOL), plain) == (plain, ())
    assert apart(plain) is plain
