"""The GitHub source against a stand-in over real HTTP: runners, queues, webhooks that come and that are lost, calls."""

import asyncio
from collections.abc import Mapping

import pytest

from bot.adapters.metrics.github import assigns
from bot.core.pool.job import JobState, WorkflowJob
from bot.core.pool.pool import Job
from bot.ports import Unreachable
from tests.adapters.back_end import URL, BackEnd
from tests.adapters.github.standin import LABEL, ORG, REPO, stamp
from tests.adapters.github.world import BY_REST, World, world
from tests.builders import NOW, gaps

RUNS, RUNNERS = f"/repos/{REPO}/actions/runs", f"/orgs/{ORG}/actions/runners"


def jobs_of(run: str) -> str:
    return f"{RUNS}/{run}/jobs"


async def test_runners_are_counted_by_label_over_all_pages() -> None:
    """602 runners are seven pages; a label matches without regard to case, and a busy runner that is gone is gone."""
    gpu = {"labels": ["self-hosted", "gpu"], "limit": 1}
    pools: dict[str, Mapping[str, object]] = {LABEL: {"limit": 700}, "gpu": gpu}
    async with world(pools=pools, heeded=False) as w:
        for n in range(602):
            w.github.runner(LABEL.upper() if n % 2 else "gpu", online=n % 10 < 8, busy=n % 5 == 0)
        found, other = await w.look(), await w.look("gpu")
        assert w.github.calls().count(RUNNERS) == 7
    assert (found.busy, found.idle, found.offline, found.limit) == (60, 181, 60, 700)
    assert (other.busy, other.idle, other.offline) == (61, 180, 60)
    assert found.api_remaining == w.github.remaining
    assert found.missing == ()


async def test_by_rest_alone_waiting_jobs_come_with_age_and_link(w: World) -> None:
    """Jobs with steps run, jobs held back and hosted labels are no queue; the rates stay unknown and say why."""
    w.github.runner(LABEL, busy=True)
    run = w.github.run(1, "in_progress", age=3600)
    w.github.job(run, 11, age=1500)
    w.github.job(run, 12, age=1200, steps=[{"name": "Set up job", "number": 1}], started_at=stamp(NOW - 240))
    w.github.job(run, 13, "waiting")
    w.github.job(run, 14, labels=["ubuntu-latest"])
    w.github.job(run, 15, "completed", conclusion="success", runner_name="r")
    w.github.job(w.github.run(2, "waiting"), 21, "waiting")
    w.github.run(3, "pending")
    found = await w.look()
    assert jobs_of("3") not in w.github.calls()
    assert (found.queued, found.oldest_wait_seconds, found.at) == (1, 1500.0, NOW)
    link = f"https://github.com/{REPO}/actions/runs/1/job/11"
    assert found.waiting == (Job("pull / test (default, 1, 2)", 1500.0, REPO, link),)
    assert found.running_longest_seconds == 240.0
    assert (found.unservable, found.ghosts, found.arrivals_per_minute, found.starts_per_minute) == (0, 0, None, None)
    assert [why.partition(":")[0] for why in gaps(found)] == ["rates"]
    assert found.duration_p50_seconds is None


async def test_what_did_not_change_costs_nothing(w: World) -> None:
    """The second round asks the same with ETags: every answer is 304, and GitHub counts none of them."""
    w.github.runner(LABEL)
    w.github.job(w.github.run(1), 11)
    await w.look()
    first, left = len(w.github.requests), w.github.remaining
    again = await w.later()
    assert {one.status for one in w.github.requests[first:]} == {304}
    assert len(w.github.requests) == 2 * first
    assert w.github.remaining == left == again.api_remaining
    assert (again.queued, again.at, again.oldest_wait_seconds) == (1, NOW + 30, 630.0)


async def test_twenty_pools_cost_no_more_than_one() -> None:
    """With webhooks: the pages of the runners and one list for each status, at most once in a poll period."""
    pools: dict[str, Mapping[str, object]] = {f"pool{n}": {"label": LABEL, "limit": 1} for n in range(20)}
    async with world(pools=pools) as w:
        for _ in range(250):
            w.github.runner(LABEL)
        w.jobs.heard_for(1800)
        for n in range(30):
            w.github.job(w.github.run(n), 100 + n)
            w.tell(100 + n, str(n))
        samples = [await w.look(pool) for pool in pools]
        expected = sorted([*[RUNNERS] * 3, *[RUNS] * 4])
        assert sorted(w.github.calls()) == expected
        before = len(w.github.requests)
        samples += [await w.later(1.4, pool, webhooks=True) for pool in pools]
        assert sorted(w.github.calls(since=before)) == expected
    assert {sample.queued for sample in samples} == {30}
    assert {(sample.idle, sample.pool in pools) for sample in samples} == {(250, True)}


async def test_many_samples_at_once_are_one_round() -> None:
    """Replicas and incidents aside: pools that are due at the same moment wait for one round of questions."""
    async with world(pools={f"pool{n}": {"label": LABEL} for n in range(5)}) as w:
        await asyncio.gather(*(w.look(f"pool{n}") for n in range(5)))
        assert len(w.github.requests) == 5


async def test_webhooks_give_rates_and_no_run_is_asked_for(w: World) -> None:
    """Arrivals, starts, sources and durations come from webhooks; the jobs of told runs are never read."""
    w.jobs.heard_for(1800)
    w.github.run(1)
    w.tell(11, "1", age=300)
    w.tell(12, "1", JobState.IN_PROGRESS, age=400, started_at=NOW - 100, runner="r1")
    done = {"started_at": NOW - 800, "completed_at": NOW - 200, "runner": "r2"}
    w.tell(13, "2", JobState.COMPLETED, age=850, **done)
    found = await w.look()
    assert not [path for path in w.github.calls() if path.endswith("/jobs")]
    assert (found.queued, found.oldest_wait_seconds) == (1, 300.0)
    assert found.arrivals_per_minute == pytest.approx(0.2)
    assert found.starts_per_minute == pytest.approx(2 / 15)
    assert found.duration_p50_seconds == 600.0
    assert found.arrivals_by_source[0].name == f"{REPO} / pull"
    assert "label: no runner carries linux.2xlarge now" in gaps(found)[0]


async def test_a_webhook_of_a_job_that_names_a_group_alone_leaves_an_empty_queue_unknown(w: World) -> None:
    """Until it runs; one that has just asked is not waited for."""
    w.jobs.heard_for(1800)
    w.tell(11, "1", age=60, labels=())
    at_once = await w.look()
    late = await w.later(120.0, webhooks=True)
    w.tell(11, "1", JobState.IN_PROGRESS, started_at=w.clock.now(), labels=())
    runs = await w.later(webhooks=True)
    assert [shot.queued for shot in (at_once, late, runs)] == [0, None, 0]
    assert "1 waiting job of GitHub asked for no label" in " ".join(gaps(late))


async def test_webhooks_that_could_not_be_read_are_read_at_the_next_sample(
    w: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A failure is no empty list: the same period asks again."""
    w.jobs.heard_for(1800)
    w.github.run(1)
    w.tell(11, "1", age=300)

    async def away(label: str) -> tuple[WorkflowJob, ...]:
        raise Unreachable("Redis", f"is away; {label} is not read")

    with monkeypatch.context() as patched:
        patched.setattr(w.jobs, "under", away)
        with pytest.raises(Unreachable, match="is away"):
            await w.look()
    assert (await w.look()).queued == 1


async def test_a_lost_end_of_a_run_is_found_and_left_out(w: World) -> None:
    """The run is on none of GitHub's lists any more: it is looked up once, and its job becomes a ghost."""
    w.jobs.heard_for(1800)
    run = w.github.run(1)
    w.github.job(run, 11)
    w.tell(11, run)
    assert (await w.look()).queued == 1
    w.github.over(run)
    await w.later(60, webhooks=True)
    before = len(w.github.requests)
    found = await w.later(90, webhooks=True)
    assert w.github.calls(since=before).count(jobs_of(run)) == 1
    before = len(w.github.requests)
    again = await w.later(webhooks=True)
    assert jobs_of(run) not in w.github.calls(since=before)
    assert (found.queued, found.ghosts) == (0, 1)
    assert (again.queued, again.ghosts) == (0, 1)


async def test_a_run_that_github_deleted_waits_no_more(w: World) -> None:
    w.jobs.heard_for(1800)
    w.tell(11, "99")
    await w.look()
    found = await w.later(150, webhooks=True)
    assert (found.queued, found.ghosts) == (0, 1)


async def test_a_job_whose_webhooks_were_lost_is_found_in_a_run_nobody_told_of(w: World) -> None:
    """A run without a word is read once; a job found there means that the repository's webhooks get lost."""
    w.jobs.heard_for(1800)
    w.tell(1, "1", JobState.IN_PROGRESS, started_at=NOW - 60, runner="r")
    w.github.job(w.github.run(1, "in_progress"), 1, "in_progress", started_at=stamp(NOW - 60), runner_name="r")
    hosted = w.github.run(2, "in_progress")
    w.github.job(hosted, 21, "in_progress", labels=["ubuntu-latest"])
    assert (await w.look()).queued == 0
    assert w.github.calls().count(jobs_of(hosted)) == 1
    before = len(w.github.requests)
    assert (await w.later(webhooks=True)).queued == 0
    assert not [path for path in w.github.calls(since=before) if path.endswith("/jobs")]
    lost = w.github.run(3, age=300)
    w.github.job(lost, 31, age=300)
    found = await w.later(webhooks=True)
    w.github.job(hosted, 22, age=0)
    before = len(w.github.requests)
    after = await w.later(webhooks=True)
    assert jobs_of(hosted) in w.github.calls(since=before)
    assert (found.queued, found.oldest_wait_seconds) == (1, 330.0)
    assert after.queued == 2


async def test_a_job_that_waits_long_without_a_word_is_looked_up(w: World) -> None:
    """Its `in_progress` was lost: at most three such runs are read in a round, each once in ten minutes."""
    w.jobs.heard_for(1800)
    for n in range(1, 6):
        run = w.github.run(n, "in_progress", age=60)
        w.github.job(run, 10 + n, "in_progress", started_at=stamp(NOW), runner_name=f"r{n}")
        w.tell(10 + n, run, age=60)
    assert (await w.look()).queued == 5
    before = len(w.github.requests)
    w.jobs.heard_for(1800)
    found = await w.later(1900, webhooks=True)
    assert len([path for path in w.github.calls(since=before) if path.endswith("/jobs")]) == 3
    again = await w.later(webhooks=True)
    assert (found.queued, again.queued) == (2, 0)


@pytest.mark.parametrize(
    ("age", "changed", "younger", "queued"),
    [
        (7 * 3600, 0.0, 600, False),
        (7 * 3600, 0.0, None, True),
        (7 * 3600, 0.0, 8 * 3600, True),
        (5 * 3600, 0.0, 600, True),
        (7 * 3600, 60.0, 600, True),
        (49 * 3600, 60.0, None, False),
    ],
)
async def test_ghost_rows_are_left_out(
    w: World, age: float, changed: float, younger: float | None, *, queued: bool
) -> None:
    """A run over 6 h old that never changed while younger jobs start, and any over 48 h old.

    A job that waits seven hours in a pool that starts nothing, or only older jobs, waits
    (docs/design/diagnosis.md#ghost-rows).
    """
    w.github.job(w.github.run(1, age=age, updated_at=stamp(NOW - age + changed)), 11, age=age)
    if younger:
        run = w.github.run(2, "in_progress", age=younger)
        w.github.job(run, 21, "in_progress", age=younger, started_at=stamp(NOW - 300), runner_name="r")
    found = await w.look()
    assert (found.queued, found.ghosts) == ((1, 0) if queued else (0, 1))


async def test_runners_of_a_scale_set_are_unknown_and_those_that_left_are_none(w: World) -> None:
    """GitHub lists a scale set's runners without labels (actions-runner-controller#4425), so nothing is known of them.

    Where one carried the label before, none with it for two minutes means that all have left.
    """
    w.github.runner(busy=True)
    found = await w.look()
    assert (found.busy, found.idle, found.offline, found.unlabelled) == (None, None, None, True)
    assert [why for why in gaps(found) if why.startswith("label: no runner carries linux.2xlarge now; correct it")]
    w.github.runner(LABEL)
    assert (await w.later()).idle == 1
    w.github.runners.pop()
    assert (await w.later(60)).idle is None
    left = await w.later(120)
    assert (left.busy, left.idle, left.offline) == (0, 0, 0)


async def test_webhooks_that_flow_know_better_than_a_run_that_never_changed(w: World) -> None:
    """Each event of the owner arrives, so the job that waits since seven hours does wait, although others start."""
    w.jobs.heard_for(1800)
    age = 7 * 3600
    run, other = w.github.run(1, age=age, updated_at=stamp(NOW - age)), w.github.run(2, "in_progress")
    w.github.job(run, 11, age=age)
    w.github.job(other, 21, "in_progress", started_at=stamp(NOW - 300), runner_name="r")
    w.tell(11, run, age=age)
    w.tell(21, other, JobState.IN_PROGRESS, started_at=NOW - 300, runner="r")
    found = await w.later(webhooks=True)
    assert (found.queued, found.ghosts) == (1, 0)


async def test_jobs_that_github_leaves_queued_in_a_run_that_is_over_wait_no_more(w: World) -> None:
    """Their run is on no complete list that is younger than the last event (actions/runner#4411)."""
    w.jobs.heard_for(1800)
    run = w.github.run(1)
    w.github.job(run, 11)
    w.github.job(run, 12)
    w.tell(11, run)
    await w.look()
    w.github.runs[REPO][run]["status"] = "completed"
    fresh = await w.later(60, webhooks=True)
    samples = [await w.later(60, webhooks=True) for _ in range(3)]
    assert fresh.queued == 1
    assert [(sample.queued, sample.ghosts) for sample in samples[1:]] == [(0, 2)] * 2


async def test_an_attempt_that_was_run_again_waits_no_more(w: World) -> None:
    """`filter=latest` shows the new attempt alone; the old one's job never got its `completed`."""
    run = w.github.run(1)
    w.tell(11, run)
    await w.pass_by(300)
    w.github.job(run, 12, age=10)
    found = await w.look()
    assert {"filter": "latest", "per_page": "100"} in [one.query for one in w.github.requests]
    assert (found.queued, found.ghosts, found.oldest_wait_seconds) == (1, 1, 10.0)


async def test_a_job_for_a_label_that_no_runner_carries_is_told_apart(w: World) -> None:
    """Runners of the pool are there, and none of them may take the job."""
    w.github.runner(LABEL, "cuda")
    run = w.github.run(1)
    for n, labels in enumerate(([LABEL], [LABEL, "CUDA"], [LABEL, "rocm"])):
        w.github.job(run, 10 + n, labels=labels)
    found = await w.look()
    assert (found.queued, found.unservable) == (3, 1)


async def test_a_run_between_two_lists_is_not_lost(w: World) -> None:
    """It left one list before it came to the other: its jobs are looked up once more before they are forgotten."""
    run = w.github.run(1)
    w.github.job(run, 11)
    await w.look()
    w.github.runs[REPO][run]["status"] = "requested"
    assert (await w.later()).queued == 1
    w.github.over(run)
    assert (await w.later()).queued == 0


async def test_the_repositories_of_an_organisation_are_found() -> None:
    """Without webhooks and without a list of repositories all of them are read."""
    async with world({"organizations": [ORG]}) as w:
        w.github.job(w.github.run(1, repo=f"{ORG}/docs"), 11)
        found = await w.look()
    assert found.queued == 1


async def test_webhooks_name_the_repositories_that_matter() -> None:
    """With webhooks nobody lists an organisation's repositories, and one without open jobs is not asked for."""
    async with world({"organizations": [ORG]}) as w:
        w.jobs.heard_for(1800)
        w.github.run(1)
        w.tell(11, "1")
        w.tell(12, "2", JobState.COMPLETED, repository=f"{ORG}/docs", completed_at=NOW)
        assert (await w.look()).queued == 1
        assert set(w.github.calls()) == {RUNNERS, RUNS}


async def test_runner_groups_have_their_own_figures() -> None:
    """A pool of a group counts that group alone; a group that is not there is named with those that are."""
    pools = {LABEL: {"runner_group": "gpu", "limit": 1}, "other": {"label": LABEL, "runner_group": "no", "limit": 1}}
    async with world(pools=pools) as w:
        w.github.groups = {"default": [], "gpu": [w.github.runner(LABEL)]}
        w.github.runner(LABEL)
        found, other = await w.look(), await w.look("other")
        assert RUNNERS not in w.github.calls()
    assert (found.idle, other.idle) == (1, None)
    assert "has no runner group no (known are default and gpu)" in other.missing[-1].why
    assert other.missing[-1].remedy == "correct runner_group"


async def test_a_repositorys_own_runners_count_without_an_organisation() -> None:
    async with world({"repositories": [REPO]}) as w:
        w.github.runner(LABEL)
        found = await w.look()
        assert f"/repos/{REPO}/actions/runners" in w.github.calls()
    assert found.idle == 1


@pytest.mark.parametrize(
    ("word", "up"), [("operational", True), ("major_outage", False), ("degraded_performance", None)]
)
async def test_the_status_page_is_asked_once_a_minute(word: str, *, up: bool | None) -> None:
    """What GitHub says of Actions; a degraded service is neither up nor down, and says so."""
    async with world({**BY_REST, "status_url": "x"}) as w:
        w.github.status_word = word
        found = await w.look()
        await w.later()
        assert w.github.calls().count("/status/components.json") == 1
    assert found.provider_up is up
    why = "provider_up: GitHub's status page says degraded performance of Actions"
    assert (why in gaps(found)) is (up is None)


@pytest.mark.parametrize(
    ("status", "body", "expected"),
    [
        (500, {}, "failed (HTTP 500"),
        (200, {"components": [{"name": "Pages"}]}, "names no component Actions; correct status_url"),
        (200, [], "names no component Actions; correct status_url"),
        (200, {"components": [{"name": "Actions"}]}, "says None of Actions"),
    ],
)
async def test_a_status_page_that_says_nothing_leaves_it_unknown(status: int, body: object, expected: str) -> None:
    """Whether GitHub works is never guessed."""
    http = BackEnd().says(status, body).wire().http("GitHub's status page", URL)
    try:
        up, why = (await assigns(http, 1000.0)).value
    except Unreachable as error:
        up, why = None, str(error)
    assert up is None
    assert expected in why
