"""Webhooks and REST side by side, without any network: when webhooks are trusted, and what a figure rests on."""

from collections import UserDict
from collections.abc import ValuesView
from dataclasses import replace

import pytest

from bot.adapters.github.api import Trouble
from bot.adapters.github.reconcile_jobs import KnownQueues, RepoSeen, Run, RunSeen, doubts, known_jobs, read_at
from bot.adapters.github.runners import GitHubRunner, RunnerList
from bot.adapters.github.runs_to_read import to_read
from bot.adapters.github.settings import GitHubPool
from bot.adapters.metrics.github import unservable
from bot.adapters.source import Listed
from bot.core.pool.job import JobState, WebhookCoverage, WorkflowJob
from bot.ports import Unreachable
from tests.builders import NOW

REPO = "acme/app"
HEARD = WebhookCoverage(NOW - 1800, NOW)
JOB = WorkflowJob("1", "7", "test", "pull", REPO, ("gpu",), JobState.QUEUED, created_at=NOW - 600, seen_at=NOW - 600)
RUN = Run("7", "queued", NOW - 600, NOW - 500)
NO = Trouble("no")
SEND = "send webhooks to /github, or raise budget"


@pytest.mark.parametrize(
    ("line", "owner", "lost", "flows"),
    [
        (HEARD, "acme", {}, True),
        (None, "acme", {}, False),
        (WebhookCoverage(NOW - 600, NOW), "acme", {}, False),
        (WebhookCoverage(NOW - 9000, NOW - 901), "acme", {}, False),
        (HEARD, "other", {}, False),
        (HEARD, "ACME", {REPO: NOW - 601}, True),
        (HEARD, "acme", {REPO: NOW - 599}, False),
    ],
)
def test_webhooks_are_trusted_after_a_quarter_of_an_hour_without_a_gap(
    line: WebhookCoverage | None, owner: str, lost: dict[str, float], *, flows: bool
) -> None:
    """And only those of an owner that they told of, and only where none was lost in the last ten minutes."""
    job = WorkflowJob("1", "7", "t", "w", f"{owner}/x", ("gpu",), JobState.QUEUED)
    assert KnownQueues(NOW, {"1": job}, line, lost=lost).flows(REPO) is flows


@pytest.mark.parametrize(
    ("repos", "runs", "known_until"),
    [
        ({REPO: RepoSeen()}, {}, ("the runs of acme/app are not listed yet", "raise budget")),
        ({REPO: RepoSeen(NOW, trouble=NO)}, {}, NO),
        ({REPO: RepoSeen(NOW, {"7": RUN})}, {}, ("the jobs of 1 of 1 open run of acme/app were not read", SEND)),
        ({REPO: RepoSeen(NOW, {"7": RUN})}, {"7": RunSeen(NOW, REPO, {}, NO)}, NO),
        ({REPO: RepoSeen(NOW, {"7": RUN})}, {"7": RunSeen(NOW - 40, REPO, {})}, NOW - 40),
        ({REPO: RepoSeen(NOW - 50, {})}, {}, NOW - 50),
        ({}, {}, NOW),
    ],
)
def test_a_queue_without_webhooks_is_as_old_as_its_oldest_answer(
    repos: dict[str, RepoSeen], runs: dict[str, RunSeen], known_until: float | tuple[str, str]
) -> None:
    found = read_at(KnownQueues(NOW, {}, None, repos, runs))
    assert found == known_until


def test_webhooks_that_flow_are_as_fresh_as_the_sample() -> None:
    """What they are compared with may be ten minutes old before it is said."""
    known_queues = KnownQueues(NOW, {"1": JOB}, HEARD, {REPO: RepoSeen(NOW - 500, trouble=NO)})
    assert read_at(known_queues) == NOW
    assert not doubts(known_queues)
    assert doubts(KnownQueues(NOW, {"1": JOB}, HEARD, {REPO: RepoSeen(NOW - 601, trouble=NO)})) == NO
    assert "were not listed" in doubts(KnownQueues(NOW, {"1": JOB}, HEARD, {REPO: RepoSeen()})).why


def test_a_repository_that_cannot_be_read_costs_no_calls_for_its_runs() -> None:
    assert to_read(KnownQueues(NOW, {"1": JOB}, None, {REPO: RepoSeen(NOW, {"7": RUN}, trouble=NO)})) == []
    assert to_read(KnownQueues(NOW, {"1": JOB}, None, {REPO: RepoSeen(NOW, {"7": RUN})})) == [(REPO, "7")]


@pytest.mark.parametrize(
    ("empty", "changed", "pause"),
    [
        (0, NOW - 500, 0),
        (1, NOW - 500, 30),
        (4, NOW - 500, 240),
        (7, NOW - 500, 1800),
        (99, NOW - 500, 1800),
        (7, 0.0, 0),
    ],
)
def test_a_run_without_jobs_counts_as_read_for_up_to_half_an_hour(empty: int, changed: float, pause: float) -> None:
    """Unless it has changed since."""
    assert RunSeen(NOW, REPO, {}, empty=empty, changed_at=changed).counts_until(RUN) == NOW + pause


def test_old_runs_without_jobs_take_every_fourth_turn() -> None:
    """Runs with jobs and young runs come first, the one that was read longest ago before all."""
    young = {str(n): Run(str(n), "queued", NOW - 100 * n, NOW) for n in range(1, 6)}
    old = {str(n): Run(str(n), "queued", NOW - 90_000, NOW - 90_000) for n in range(6, 9)}
    seen = {"6": RunSeen(NOW - 9000, REPO, {}, empty=3, changed_at=NOW - 90_000)}
    due = to_read(KnownQueues(NOW, {}, None, {REPO: RepoSeen(NOW, {**old, **young})}, seen))
    assert [run for _, run in due] == ["1", "2", "3", "7", "4", "5", "8", "6"]


async def test_words_and_answers_about_one_job_come_together() -> None:
    running = WorkflowJob("1", "7", "test", "pull", REPO, ("gpu",), JobState.IN_PROGRESS, started_at=NOW - 10)
    known_queues = KnownQueues(
        NOW, {"1": JOB}, HEARD, {REPO: RepoSeen(NOW, {"7": RUN})}, {"7": RunSeen(NOW, REPO, {"1": running})}
    )
    known = await known_jobs(known_queues)
    (job,) = known.of(["GPU"])
    assert (job.state, job.created_at, known.over) == (JobState.IN_PROGRESS, NOW - 600, frozenset())
    assert known.of(["cpu"]) == known.of(["gpu", "cpu"]) == ()


async def test_five_hundred_pools_walk_the_jobs_no_more_often_than_one() -> None:
    """A walk for each pool kept the loop for 82 s with 5,000 jobs."""

    class Walked(UserDict[str, WorkflowJob]):
        walks = 0

        def values(self) -> ValuesView[WorkflowJob]:
            Walked.walks += 1
            return super().values()

    jobs = Walked({str(n): replace(JOB, id=str(n), labels=(f"pool{n}", "linux")) for n in range(500)})
    repos, runs = {REPO: RepoSeen(NOW, {"7": RUN})}, {"7": RunSeen(NOW, REPO, dict(list(jobs.items())[:2]))}
    known = await known_jobs(KnownQueues(NOW, jobs, HEARD, repos, runs))
    before = Walked.walks
    assert [len(known.of([f"pool{n}"])) for n in range(500)] == [1] * 500
    assert [job.id for job in known.of(["linux", "pool3"])] == ["3"]
    assert Walked.walks == before


def test_nobody_knows_what_a_pool_without_runners_may_serve() -> None:
    """An autoscaler may bring a runner that carries every label."""
    assert unservable([JOB], Listed(RunnerList(), NOW), ["gpu"]) is None
    assert unservable([JOB], Unreachable("GitHub", "no"), ["gpu"]) is None
    offline = GitHubRunner(frozenset({"gpu"}), online=False, busy=False)
    assert unservable([JOB], Listed(RunnerList((offline,)), NOW), ["gpu"]) == 0


@pytest.mark.parametrize(
    ("keys", "labels"),
    [
        ({}, ("linux",)),
        ({"label": "linux.2xlarge"}, ("linux.2xlarge",)),
        ({"labels": ["self-hosted", "Linux", "gpu"]}, ("gpu", "self-hosted", "Linux")),
    ],
)
def test_the_label_that_tells_a_pool_apart_comes_first(keys: dict[str, object], labels: tuple[str, ...]) -> None:
    """Webhooks are looked up by it; the pool's name is the label when none is written."""
    assert GitHubPool.model_validate(keys).labels_of("linux") == labels
