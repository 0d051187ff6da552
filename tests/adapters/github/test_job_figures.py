"""From jobs to figures: what waits, what is held, what only looks queued, and what nobody can know yet."""

import math
import random
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

from bot.adapters.github.job_figures import MOST_WAITING, NEVER, asks_for, figures, running_jobs, taken_apart
from bot.core.kinds.paces import EndedJob, JobGroup, KindPace, RunningJob
from bot.core.pool.job import JobState, WebhookCoverage, WorkflowJob, told
from bot.core.pool.pool import Job, Snapshot, Tally
from bot.core.words import clock
from tests.builders import NOW, gaps

HEARD = WebhookCoverage(NOW - 3600, NOW - 30)
FRESH = WebhookCoverage(NOW - 300, NOW - 30)
SILENT = WebhookCoverage(NOW - 9000, NOW - 1000)
HOUR, DAY = 3600.0, 86400.0


def job(number: int, ago: float, state: JobState = JobState.QUEUED, **parts: Any) -> WorkflowJob:
    """A job that was created `ago` seconds ago."""
    made = WorkflowJob(
        str(number), f"r{number}", f"job {number}", "pull", "o/r", ("self-hosted", "gpu"), state, NOW - ago,
        url=f"https://x/{number}", seen_at=NOW - ago,
    )  # fmt: skip
    return told(None, replace(made, **parts))


def running(number: int, ago: float, runner: str = "", **parts: Any) -> WorkflowJob:
    """A job that started `ago` seconds ago, a minute after it was created."""
    return job(number, ago + 60, JobState.IN_PROGRESS, started_at=NOW - ago, runner=runner, **parts)


def ended(number: int, ago: float, took: float, **parts: Any) -> WorkflowJob:
    """A job that ended `ago` seconds ago and took so many seconds."""
    times = {"started_at": NOW - ago - took, "completed_at": NOW - ago}
    return job(number, ago + took + 60, JobState.COMPLETED, **{**times, "conclusion": "success", **parts})


def shown(*jobs: WorkflowJob, line: WebhookCoverage | None = HEARD, over: Iterable[str] = ()) -> Snapshot:
    return figures("gpu", jobs, NOW, line, frozenset(over))


def ages(*jobs: WorkflowJob) -> list[float]:
    return [age for age, _ in running_jobs(jobs, NOW, ())]


def test_a_usual_hour_gives_every_figure() -> None:
    """Two wait, one runs, two ended, one is held, one is a ghost: each counts where it belongs."""
    held = job(7, 400, JobState.WAITING)
    found = shown(
        job(1, 100), job(2, 1200), running(3, 500), ended(4, 60, 600), ended(5, 1200, 60), held, job(8, 2 * DAY)
    )
    assert found == Snapshot(
        "gpu",
        NOW,
        queued=2,
        oldest_wait_seconds=1200,
        arrivals_per_minute=3 / 15,
        starts_per_minute=2 / 15,
        rate_seconds=900.0,
        completions_per_minute=1 / 15,
        duration_p50_seconds=600,
        running_longest_seconds=500,
        running_jobs=1,
        reruns=0,
        failed_jobs=0,
        unservable=0,
        ghosts=1,
        arrivals_by_source=(Tally("o/r / pull", 3),),
        waiting=(Job("pull / job 2", 1200, "o/r", "https://x/2"), Job("pull / job 1", 100, "o/r", "https://x/1")),
        composition=(
            JobGroup("pull / job 1", "self-hosted, gpu", "o/r", 1, 100, 100, 100),
            JobGroup("pull / job 2", "self-hosted, gpu", "o/r", 1, 1200, 1200, 1200),
        ),
        running=(RunningJob("pull / job 3", 500, "o/r", "https://x/3"),),
        kinds=(KindPace("pull / job 3", running=1, repository="o/r"),),
        ended=(EndedJob("pull / job 4", NOW - 60, 600, "o/r"),),
    )


def test_nothing_under_a_label_is_an_empty_queue_once_the_line_was_heard_long_enough() -> None:
    """Zeros, because silence under this label is known to be silence."""
    found = shown()
    assert (found.queued, found.oldest_wait_seconds, found.arrivals_per_minute, found.starts_per_minute) == (0, 0, 0, 0)
    assert (found.running_longest_seconds, found.ghosts, found.unservable, gaps(found)) == (0, 0, 0, ())
    assert found.duration_p50_seconds is None
    assert (found.busy, found.idle, found.offline, found.limit) == (None, None, None, None)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (None, NEVER),
        (FRESH, f"GitHub's webhooks have been heard since {clock(FRESH.since)} UTC; this needs 15 minutes"),
        (SILENT, f"GitHub's webhooks have told nothing since {clock(SILENT.last)} UTC; they may have been lost"),
    ],
)
def test_nothing_under_a_label_is_unknown_while_the_line_says_little(line: WebhookCoverage | None, why: str) -> None:
    """Unknown is not zero, and the reason is said: the queue cannot count as drained."""
    found = shown(line=line)
    assert (found.queued, found.oldest_wait_seconds, found.running_longest_seconds) == (None, None, None)
    assert (found.arrivals_per_minute, found.starts_per_minute, found.completions_per_minute) == (None, None, None)
    assert (found.unservable, found.ghosts) == (None, None if line is None else 0)
    assert gaps(found) == (f"queued: {why}", f"rates: {why}")


@pytest.mark.parametrize("line", [FRESH, SILENT])
def test_what_is_known_to_wait_is_told_at_once_and_rates_are_not(line: WebhookCoverage) -> None:
    """A job that waits is a fact; how many come a minute is none before a quarter of an hour."""
    found = shown(job(1, 700), running(2, 90), ended(3, 10, 50), line=line)
    assert (found.queued, found.oldest_wait_seconds, found.running_longest_seconds) == (1, 700, 90)
    assert found.duration_p50_seconds == 50
    assert (found.arrivals_per_minute, found.arrivals_by_source) == (None, ())
    assert len(gaps(found)) == 1


def test_a_job_is_a_ghost_after_a_day_only_when_others_start() -> None:
    """G1: "1.3 d" while 923 jobs started in the last hour. Where nothing starts, it may really wait."""
    old = job(1, 1.3 * DAY)
    assert taken_apart([old], NOW).queued == (old,)
    assert taken_apart([old, running(2, 1000)], NOW).queued == (old,)
    assert taken_apart([old, running(2, 800)], NOW).ghosts == (old,)
    assert taken_apart([job(1, DAY - 1), running(2, 800)], NOW).ghosts == ()


def test_a_job_of_two_days_is_a_ghost_in_any_case() -> None:
    """GitHub cancels what was queued for 24 h, in effect up to 48 h."""
    assert [one.id for one in taken_apart([job(1, 2 * DAY + 1), job(2, 2 * DAY)], NOW).ghosts] == ["1"]


def test_what_another_source_says_is_over_is_a_ghost_and_does_not_run() -> None:
    """The cancelled run whose last word was lost, once the REST API was asked."""
    found = shown(job(1, 500), job(2, 300), running(3, 900), running(4, 100), over={"1", "3"})
    assert (found.queued, found.oldest_wait_seconds, found.ghosts, found.running_longest_seconds) == (1, 300, 1, 100)


def test_a_runner_that_took_another_job_has_ended_the_one_before() -> None:
    """`completed` may never come; but a runner does one job at a time."""
    jobs = [running(1, 9000, "mac-1"), running(2, 60, "mac-1"), running(3, 500, "mac-2")]
    assert ages(*jobs) == [500, 60]


@pytest.mark.parametrize("runner", ["", "GitHub Actions 5"])
def test_runners_without_a_name_of_their_own_say_nothing_of_each_other(runner: str) -> None:
    """GitHub's own machines bear the same names again and again at once."""
    assert ages(running(1, 9000, runner), running(2, 60, runner)) == [9000, 60]


def test_runners_of_two_owners_may_have_one_name() -> None:
    assert len(ages(running(1, 90, "a"), running(2, 60, "a", repository="other/r"))) == 2


def test_a_skipped_job_never_came_and_a_cancelled_one_did() -> None:
    """Skipped jobs are told as completed at once; one that was cancelled in the queue was in it."""
    skipped = job(1, 100, JobState.COMPLETED, completed_at=NOW - 99, conclusion="skipped")
    cancelled = job(2, 100, JobState.COMPLETED, completed_at=NOW - 50, conclusion="cancelled")
    found = shown(skipped, cancelled)
    assert found.arrivals_per_minute == pytest.approx(1 / 15)
    assert (found.starts_per_minute, found.completions_per_minute, found.duration_p50_seconds) == (0, 0, None)


def test_sources_come_most_first_with_a_name_for_unnamed_workflows() -> None:
    """`repository / workflow`, of the last 15 minutes, whatever became of the jobs since."""
    jobs = [job(1, 10), running(2, 20), job(3, 30, workflow="", repository="o/x"), job(4, 901)]
    assert shown(*jobs).arrivals_by_source == (Tally("o/r / pull", 2), Tally("o/x / unnamed workflow", 1))


def test_a_job_without_a_time_of_creation_waits_since_it_was_heard() -> None:
    found = shown(job(1, 100, created_at=None, workflow=""))
    assert (found.oldest_wait_seconds, found.waiting[0].name) == (100, "job 1")


def test_a_clock_that_is_ahead_makes_no_negative_times() -> None:
    found = shown(job(1, -3), running(2, -2), ended(3, 5, -4))
    assert (found.oldest_wait_seconds, found.running_longest_seconds, found.duration_p50_seconds) == (0, 0, 0)
    assert found.waiting[0].waited_seconds == 0


def test_only_the_longest_waiting_jobs_are_named() -> None:
    found = shown(*(job(number, number) for number in range(1, 100)))
    assert found.queued == 99
    assert [row.waited_seconds for row in found.waiting] == [float(99 - n) for n in range(MOST_WAITING)]


@pytest.mark.parametrize(
    ("labels", "asks"), [(["gpu"], True), (["GPU", "Self-Hosted"], True), ([], True), (["gpu", "linux"], False)]
)
def test_a_pool_says_which_labels_are_its_own(labels: list[str], asks: bool) -> None:
    """Every one of them must stand among the job's; the job may ask for more."""
    assert asks_for(job(1, 1), labels) is asks


@pytest.mark.parametrize("seed", range(10))
def test_the_median_duration_counts_jobs_that_still_run(seed: int) -> None:
    """Of jobs that started in the last hour the short ones have ended; their median alone is far too low."""
    dice, jobs = random.Random(seed), list[WorkflowJob]()
    for number in range(400):
        ago, lasts = dice.uniform(0, 3500), dice.lognormvariate(math.log(1200), 0.8)
        jobs.append(ended(number, ago - lasts, lasts) if lasts < ago else running(number, ago, f"runner-{number}"))
    assert shown(*jobs).duration_p50_seconds == pytest.approx(1200, rel=0.2)
    hung = [ended(number, 10 * number, 60) for number in range(9)]
    hung += [running(10 + number, 1800, f"runner-{number}") for number in range(30)]
    assert shown(*hung).duration_p50_seconds == 1800, "more than half still run: at least the median age"


def test_jobs_that_run_once_more_and_jobs_that_failed_are_counted() -> None:
    """Of the last quarter of an hour; a job without a number of attempts is a first one."""
    again, first = job(1, 60, attempt=2), job(2, 60, attempt=1)
    old = ended(3, 1200, 60, conclusion="failure", attempt=3)
    lately = [ended(n, 60, 60, conclusion=how) for n, how in ((4, "failure"), (5, "timed_out"), (6, "cancelled"))]
    found = shown(again, first, job(7, 60), running(8, 500), old, *lately)
    assert (found.reruns, found.failed_jobs, found.running_jobs) == (1, 2, 1)
    unheard = shown(again, line=FRESH)
    assert (unheard.reruns, unheard.failed_jobs, unheard.running_jobs) == (None, None, None)
