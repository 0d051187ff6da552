"""What is said of a job, and to whom: pool, place, start, cause; no name that somebody may not know."""

from dataclasses import replace
from typing import Any, TypeVar

import pytest

from bot.core.incident.incident import Incident
from bot.core.jobs.answer import JobAnswer, JobStanding
from bot.core.jobs.found import FoundJob, FoundJobs, Unfound
from bot.core.kinds.jobs_now import JobsNow
from bot.core.kinds.paces import EndedJob, JobGroup, RunningJob
from bot.core.kinds.store import JobKinds, learnt
from bot.core.pool.outlook import Verdict
from bot.core.pool.pool import Job, Pool
from bot.core.record import Change, Put, Record, Stored
from bot.jobs.find import JobsRefused, find_jobs
from tests.builders import NOW, POOL
from tests.core.forecast.test_forecast import series
from tests.world import OTHER_POOL, PoliteStore, World

R = TypeVar("R", bound=Record)

URL = "https://github.com/org/secret/actions/runs/12/job/34"
JOB = FoundJob(
    URL, "34", "test (default)", JobStanding.WAITING, NOW, repository="org/secret", workflow="ci",
    labels=(POOL,), queued_at=NOW - 600,
)  # fmt: skip


class Known:
    """The port Jobs, with what it knows."""

    def __init__(self, *jobs: FoundJob, reason: Unfound | None = None) -> None:
        self.found, self.asked = FoundJobs(jobs, reason), list[str]()

    async def find(self, url: str) -> FoundJobs:
        self.asked.append(url)
        return self.found


class CountingStore(PoliteStore):
    """Counts how often a pool is read."""

    reads = 0

    async def get(self, kind: type[R], record_id: str) -> Stored[R] | None:
        """As ever."""
        self.reads += kind is Pool
        return await super().get(kind, record_id)


async def everybody(_: Incident) -> bool:
    return True


async def nobody(_: Incident) -> bool:
    return False


async def put(world: World, *pools: Pool) -> None:
    for pool in pools:
        held = await world.store.get(Pool, pool.id) or Stored(pool, 0)
        await world.store.commit(Change(puts=(Put(held, pool, None),)))


def queueing(name: str = POOL, **changes: Any) -> Pool:
    """Half an hour of samples up to now: 60 jobs wait, 4 start a minute."""
    shift = NOW - series()[-1].at
    return Pool(name, tuple(replace(one, pool=name, at=one.at + shift) for one in series(**changes)), tried_at=NOW)


async def asked(world: World, text: str = URL, *jobs: FoundJob) -> JobAnswer:
    world.context.jobs = Known(*(jobs or (JOB,)))
    return (await find_jobs(world.context, text, everybody)).jobs[0]


async def test_a_waiting_job_has_its_pool_its_place_and_its_start() -> None:
    """2 arrived a minute for 10 min: 40 of 60 are ahead, and 4 start a minute."""
    world = World()
    await put(world, queueing())
    found = await asked(world)
    assert (found.state, found.pool, found.name) == (JobStanding.WAITING, POOL, "test (default)")
    assert found.ahead is not None
    assert found.start is not None
    assert found.ahead.low < 40 <= found.ahead.high
    assert found.start.kind is Verdict.INTERVAL
    assert (found.start.low_seconds or 0) < 600 < (found.start.high_seconds or 0)
    assert found.cause is not None


@pytest.mark.parametrize("standing", [JobStanding.HELD, JobStanding.RUNNING, JobStanding.ENDED])
async def test_a_job_in_no_queue_has_no_start(standing: JobStanding) -> None:
    world = World()
    await put(world, queueing())
    found = await asked(world, URL, replace(JOB, state=standing))
    assert (found.state, found.ahead, found.start) == (standing, None, None)


async def test_a_label_with_two_pools_names_both_and_the_sooner_start_counts() -> None:
    world = World(pool={POOL: {"label": "shared"}, OTHER_POOL: {"label": "shared"}})
    await put(world, queueing(POOL), queueing(OTHER_POOL, queued=200))
    found = await asked(world, URL, replace(JOB, labels=("shared",)))
    assert (found.pool, found.pools) == (POOL, (POOL, OTHER_POOL))


@pytest.mark.parametrize(
    ("labels", "missing", "reason"),
    [(("self-hosted", "linux.huge"), ("linux.huge",), "no_pool"), ((), (), "no_label")],
    ids=["a label of no pool", "a group of runners alone"],
)
async def test_a_job_of_no_known_pool_has_the_reason(
    labels: tuple[str, ...], missing: tuple[str, ...], reason: str
) -> None:
    """Of a job that names a group alone GitHub tells the group once it runs."""
    found = await asked(World(), URL, replace(JOB, labels=labels))
    assert (found.pool, found.missing, found.start) == ("", missing, None)
    assert found.reason is not None
    assert found.reason.id == reason


LISTED = "https://ci.example.com/builds/7/jobs/70"


@pytest.mark.parametrize("reason", [Unfound.LONGEST_ONLY, Unfound.UNREACHABLE, Unfound.NEEDS_TOKEN])
async def test_a_job_that_the_newest_sample_lists_is_found_where_its_system_is_not_asked(reason: Unfound) -> None:
    """With its pool, its place and its start, as any other; a source such as Prometheus knows no more."""
    world, pool = World(), queueing()
    assert pool.latest is not None
    waits = Job("ci / test (default)", 600.0, "org/app", LISTED)
    await put(world, replace(pool, samples=(*pool.samples[:-1], replace(pool.latest, waiting=(waits,)))))
    runs = RunningJob("ci / build", 5400.0, "org/app", f"{LISTED}1/")
    held = Stored(JobsNow(POOL, NOW), 0)
    await world.store.commit(Change(puts=(Put(held, JobsNow(POOL, NOW - 30, running=(runs,)), None),)))
    world.context.jobs = Known(reason=reason)
    (job,) = (await find_jobs(world.context, f"{LISTED}/", everybody)).jobs
    assert (job.state, job.pool, job.queued_at, job.id) == (JobStanding.WAITING, POOL, NOW - 600, LISTED)
    assert job.start is not None
    (job,) = (await find_jobs(world.context, f"{LISTED}1", everybody)).jobs
    assert (job.state, job.started_at, job.name) == (JobStanding.RUNNING, NOW - 5430, "ci / build")
    with pytest.raises(JobsRefused) as refused:
        await find_jobs(world.context, f"{LISTED}2", everybody)
    assert refused.value.reason is reason


async def test_a_system_that_knows_no_such_job_is_believed() -> None:
    world, pool = World(), queueing()
    assert pool.latest is not None
    waits = Job("ci / test", 600.0, "org/app", LISTED)
    await put(world, replace(pool, samples=(*pool.samples[:-1], replace(pool.latest, waiting=(waits,)))))
    world.context.jobs = Known(reason=Unfound.NOT_FOUND)
    with pytest.raises(JobsRefused):
        await find_jobs(world.context, LISTED, everybody)


async def test_a_number_alone_tells_no_name_of_a_repository_that_may_be_private() -> None:
    world = World()
    await put(world, queueing())
    answer = await asked(world, "34")
    assert (answer.pool, answer.state) == (POOL, JobStanding.WAITING)
    assert (answer.name, answer.repository, answer.url) == ("", "", "")
    public = await asked(world, "34", replace(JOB, public=True))
    assert (public.name, public.repository, public.url) == ("test (default)", "org/secret", URL)


async def test_an_incident_is_told_only_to_who_may_see_its_channel() -> None:
    world = await World.opened()
    await put(world, queueing())
    world.context.jobs = Known(JOB)
    seen, unseen = [(await find_jobs(world.context, URL, sees)).jobs[0] for sees in (everybody, nobody)]
    assert seen.incident
    assert not unseen.incident


async def test_old_figures_give_no_start_and_say_so() -> None:
    world = World()
    await put(world, queueing())
    world.clock.advance(3600)
    found = await asked(world)
    assert (found.ahead, found.start) == (None, None)
    assert found.reason is not None
    assert found.reason.id == "figures_old"


async def test_no_question_measures_and_a_crowd_is_answered_from_one_reading() -> None:
    world = World()
    await put(world, queueing())
    world.context.store = counter = CountingStore(world.clock.now, world.clock.monotonic, data=world.data)
    world.context.jobs = Known(JOB)
    for _ in range(200):
        await find_jobs(world.context, URL, everybody)
    assert world.metrics.script.count("snapshot") == 0
    assert counter.reads == 1


@pytest.mark.parametrize("reason", list(Unfound))
async def test_each_reason_why_there_is_no_answer_has_words(reason: Unfound) -> None:
    world = World()
    world.context.jobs = Known(reason=reason)
    with pytest.raises(JobsRefused) as refused:
        await find_jobs(world.context, URL, everybody)
    assert refused.value.reason is reason
    assert str(refused.value).endswith(".")


async def test_slacks_form_of_an_address_is_unwrapped() -> None:
    world = World()
    world.context.jobs = known = Known(JOB)
    await find_jobs(world.context, f"<{URL}|secret / test>", everybody)
    assert known.asked == [URL]


@pytest.mark.parametrize("label", ["gpu-x", "linux"])
async def test_a_label_that_keeps_a_kind_of_jobs_waiting_in_a_known_pool_is_named(label: str) -> None:
    """Newer jobs of the pool start while none of these does; every runner has the label linux by itself."""
    world, pool = World(), queueing()
    group = JobGroup("ci / test (default)", POOL, "org/secret", 15, 3000.0, 3600.0, 2400.0)
    assert pool.latest is not None
    await put(world, replace(pool, samples=(*pool.samples[:-1], replace(pool.latest, overtaken=(group,)))))
    found = await asked(world, URL, replace(JOB, labels=(POOL, label)))
    named = (JobStanding.UNSERVABLE, POOL, ("gpu-x",)) if label == "gpu-x" else (JobStanding.WAITING, POOL, ())
    assert (found.state, found.pool, found.missing) == named


@pytest.mark.parametrize(("ended", "usual"), [(48, 1200.0), (1, None)])
async def test_a_running_job_is_told_with_the_usual_length_of_its_kind(ended: int, usual: float | None) -> None:
    """Its number and machine are no part of the kind; after too few ends nothing is usual."""
    world, known = World(), JobKinds(POOL)
    for hour in range(ended):
        at = NOW - (ended - hour + 1) * 3600
        known = learnt(known, [EndedJob("ci / test (default)", at, 1200.0, "org/secret")], at + 60)
    held = Stored(known, 0)
    await world.store.commit(Change(puts=(Put(held, known, None),)))
    running = replace(JOB, state=JobStanding.RUNNING, name=f"test (default, 3, {POOL})", started_at=NOW - 60)
    found = await asked(world, URL, running)
    assert (found.state, found.usual_seconds) == (JobStanding.RUNNING, usual and pytest.approx(usual, rel=0.1))
