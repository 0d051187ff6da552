"""What a developer reads of a job, in each of its states, and what a follower is told."""

import pytest

from bot.core.finding import Finding, Scaling
from bot.core.jobs.answer import JobAnswer, JobsAhead, JobsAnswer, JobStanding, JobStart
from bot.core.jobs.follow import FollowEvent, FollowKind
from bot.core.notifications.tell import FollowNews
from bot.core.pool.outlook import Verdict
from bot.views.jobs import followed_news, job_answer
from tests.builders import NOW, POOL


def job(state: JobStanding, **parts: object) -> JobAnswer:
    given = {"name": "test (default)", "repository": "org/repo", "pool": POOL, **parts}
    return JobAnswer("7", state, NOW, **given)  # type: ignore[arg-type]  # field names are checked by the dataclass


def answered(*jobs: JobAnswer) -> str:
    return job_answer(JobsAnswer(jobs, NOW), NOW, {}).text


def test_a_waiting_job_has_its_pool_start_place_and_cause() -> None:
    cause = Finding("limit", 0.5, (), Scaling.HELPS, "raise_limit", POOL)
    start = JobStart(Verdict.INTERVAL, NOW, 600.0, 900.0, 1800.0)
    waits = job(JobStanding.WAITING, queued_at=NOW - 300, ahead=JobsAhead(3, 9), start=start, cause=cause)
    text = answered(waits, waits)
    for words in (POOL, "will probably start in 10 to 30 min", "3 to 9 jobs are ahead of it", "Why it waits: the pool"):
        assert text.count(words) >= 2
    assert text.count("The order is an estimate") == 1


@pytest.mark.parametrize(
    ("job", "words"),
    [
        (job(JobStanding.RUNNING, started_at=NOW - 300), "It runs since"),
        (job(JobStanding.HELD), "It is held by an approval or a concurrency limit"),
        (job(JobStanding.ENDED, conclusion="cancelled"), "It was cancelled"),
        (job(JobStanding.ENDED, conclusion="skipped"), "It was skipped"),
        (job(JobStanding.WAITING, missing=("linux.huge",)), "No configured pool has the label linux.huge"),
        (job(JobStanding.UNSERVABLE, missing=("linux.huge",)), "no runner has the label linux.huge"),
    ],
    ids=["running", "held", "cancelled", "skipped", "no pool", "no runner"],
)
def test_each_state_has_its_words(job: JobAnswer, words: str) -> None:
    assert words in answered(job)


@pytest.mark.parametrize(
    ("event", "jobs", "words"),
    [
        (FollowEvent.STARTED, (job(JobStanding.RUNNING, queued_at=NOW - 600, started_at=NOW),), " after 10 min"),
        (FollowEvent.ENDED, (job(JobStanding.ENDED, conclusion="cancelled"),), " did not start. It was cancelled."),
        (FollowEvent.LOST, (), "Its CI provider no longer knows "),
    ],
)
def test_a_follower_of_a_job_reads_what_became_of_it(
    event: FollowEvent, jobs: tuple[JobAnswer, ...], words: str
) -> None:
    assert words in followed_news(FollowNews(FollowKind.JOB, "7", event, NOW, jobs), NOW).text


@pytest.mark.parametrize(
    ("event", "words"),
    [(FollowEvent.WORSE, "130 jobs wait, twice as many"), (FollowEvent.DRAINED, f"{POOL} has drained")],
)
def test_a_follower_of_a_pool_reads_how_its_queue_is(event: FollowEvent, words: str) -> None:
    assert words in followed_news(FollowNews(FollowKind.POOL, POOL, event, NOW, (), 130), NOW).text
