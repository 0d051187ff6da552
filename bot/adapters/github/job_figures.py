"""Computes a pool's figures from the jobs with its label, as far as webhooks can tell."""

import statistics
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from bot.core.kinds.paces import (
    HOUR_SECONDS,
    LATELY_SECONDS,
    MOST_ENDED,
    MOST_RUNNING,
    EndedJob,
    RunningJob,
    grouped,
    paces,
)
from bot.core.pool.job import COMPLETED_SECONDS, JobState, WebhookCoverage, WorkflowJob, key_of
from bot.core.pool.pool import Gap, Job, Snapshot, Tally
from bot.core.words import clock, count
from bot.sources.job_kind import kind_of

GRACE_SECONDS = 120.0
"""Webhooks, and GitHub's own lists, may be this late."""
WINDOW_SECONDS = 900.0
"""Rates and sources are those of the last 15 minutes."""
OLD_SECONDS = 86400.0
"""GitHub cancels jobs queued for 24 h, in effect up to 48 h."""
DEAD_SECONDS = 2 * 86400.0
FAILED = frozenset({"failure", "timed_out"})
"""Conclusions of jobs that are run again."""
HOSTED = "GitHub Actions "
"""Prefix of the names of GitHub's own machines."""
HALF = 0.501
"""Below this the curve has come down to a half."""
MOST_WAITING = 20
MOST_SOURCES = 20
NEVER = "GitHub's webhooks have told nothing yet; send the event Workflow jobs to POST /github"


@dataclass(frozen=True, slots=True)
class JobQueue:
    """A label's jobs that have not started, by kind (docs/design/diagnosis.md#definitions)."""

    queued: tuple[WorkflowJob, ...]
    """Jobs that wait for a runner, longest first."""
    held: tuple[WorkflowJob, ...]
    """Jobs that wait for an approval or a concurrency limit."""
    ghosts: tuple[WorkflowJob, ...]
    """Jobs that only look queued."""


def figures(
    pool: str, jobs: Iterable[WorkflowJob], now: float, line: WebhookCoverage | None, over: Collection[str] = ()
) -> Snapshot:
    """The sample of a pool from its label's jobs; times in epoch seconds.

    `jobs` comes from `WebhookJobs.under`, `line` from its `line`. `over` are ids of jobs that another source, such as
    the REST API, reports as ended: they count as ghost rows while they look queued, and not as running.

    Known at once: `queued`, `oldest_wait_seconds`, `waiting`, as soon as a job waits; `running_longest_seconds` and
    `duration_p50_seconds`, as soon as there is one. Known after a quarter of an hour of webhooks without a gap: that
    nothing waits or runs (0), `arrivals_per_minute`, `starts_per_minute`, `completions_per_minute` and
    `arrivals_by_source`. Otherwise None, with the reason in `missing`. Held jobs are in no figure, so `unservable` is 0
    whenever `queued` is known. Webhooks say nothing about runners (busy, idle, offline, limit).
    """
    known = tuple(job for job in jobs if not job.inherited)
    found, why = taken_apart(known, now, over), _without_webhooks(line, now)
    runs = running_jobs(known, now, over)
    running = [age for age, _ in runs]
    tells = not why or bool(found.queued)
    arrived = [job for job in known if queued_once(job)]

    def rate(times: Iterable[float | None]) -> float | None:
        """The rate per minute in the last 15 minutes; a fast clock moves nothing out of it."""
        count = sum(_lately(at, now) for at in times)
        return None if why else count * 60 / WINDOW_SECONDS

    return Snapshot(
        pool,
        now,
        queued=len(found.queued) if tells else None,
        oldest_wait_seconds=max(0.0, *(now - job.begun for job in found.queued), 0.0) if tells else None,
        arrivals_per_minute=rate(job.begun for job in arrived),
        starts_per_minute=rate(job.started_at for job in known),
        completions_per_minute=rate(job.completed_at for job in known if job.started_at is not None),
        rate_seconds=None if why else WINDOW_SECONDS,
        duration_p50_seconds=duration_p50(known, running, now),
        running_jobs=None if why else len(runs),
        reruns=None if why else sum((job.attempt or 1) > 1 for job in arrived if now - job.begun <= WINDOW_SECONDS),
        failed_jobs=None if why else sum(job.conclusion in FAILED and _lately(job.completed_at, now) for job in known),
        running_longest_seconds=max(0.0, *running, 0.0) if running or not why else None,
        unservable=0 if tells else None,
        ghosts=len(found.ghosts) if line else None,
        arrivals_by_source=() if why else _sources(job for job in arrived if now - job.begun <= WINDOW_SECONDS),
        waiting=tuple(_as_row(job, now) for job in found.queued[:MOST_WAITING]),
        composition=grouped((_group(job), max(0.0, now - job.begun)) for job in found.queued),
        running=tuple(RunningJob(_name(job), age, job.repository, job.url) for age, job in runs[:MOST_RUNNING]),
        kinds=paces(ended_jobs(known, now, HOUR_SECONDS), (((job.repository, _kind(job)), age) for age, job in runs)),
        ended=ended_jobs(known, now, LATELY_SECONDS)[:MOST_ENDED],
        missing=tuple(Gap(figure, why) for figure in (() if tells else ("queued",)) + ("rates",)) if why else (),
    )


def taken_apart(jobs: Iterable[WorkflowJob], now: float, over: Collection[str] = ()) -> JobQueue:
    """The jobs that have not started, without ghost rows.

    A ghost row is a job in `over`, one older than 24 h while jobs with its label start, and any older than 48 h: GitHub
    has cancelled those, and the event was lost.
    """
    known = tuple(jobs)
    starts = any(job.started_at is not None and now - job.started_at <= WINDOW_SECONDS for job in known)
    oldest = OLD_SECONDS if starts else DEAD_SECONDS
    queued, held, ghosts = list[WorkflowJob](), list[WorkflowJob](), list[WorkflowJob]()
    for job in sorted(known, key=lambda job: (job.begun, job.id)):
        if job.state is JobState.WAITING:
            held.append(job)
        elif job.state is JobState.QUEUED:
            (ghosts if job.id in over or now - job.begun > oldest else queued).append(job)
    return JobQueue(tuple(queued), tuple(held), tuple(ghosts))


def astray(jobs: Iterable[WorkflowJob], now: float, over: Collection[str] = ()) -> tuple[WorkflowJob, ...]:
    """The jobs that have waited for longer than events are late (`now` in epoch seconds), and ask for no label.

    They name a group of runners alone. GitHub tells which one only once they run, so any pool may be theirs.
    """
    queued = taken_apart(jobs, now, over).queued
    return tuple(job for job in queued if not job.labels and now - job.begun > GRACE_SECONDS)


def why_astray(number: int) -> tuple[str, str]:
    """Why no queue is known to be empty beside so many of them, and the remedy."""
    return f"{count(number, 'waiting job')} of GitHub asked for no label", "write a label beside the group in runs-on"


def asks_for(job: WorkflowJob, labels: Iterable[str]) -> bool:
    """Whether a job has all of these runner labels, ignoring case."""
    needs = {key_of(label) for label in job.labels}
    return all(key_of(label) in needs for label in labels)


def queued_once(job: WorkflowJob) -> bool:
    """Whether a job was ever queued: not held, and not skipped."""
    return job.state is not JobState.WAITING and not (job.conclusion == "skipped" and job.started_at is None)


def running_jobs(jobs: Iterable[WorkflowJob], now: float, over: Collection[str]) -> list[tuple[float, WorkflowJob]]:
    """Running jobs, each with its duration, longest first.

    A job whose runner took another job has ended, because a runner does one job at a time. Names of GitHub's own
    machines are reused and say nothing.
    """
    found = [
        (job, job.started_at, (job.repository.partition("/")[0], job.runner))  # runners' names are unique per owner
        for job in jobs
        if job.started_at is not None
    ]
    newest: dict[tuple[str, str], float] = {}
    for _, started, place in found:
        newest[place] = max(newest.get(place, 0.0), started)
    ages = (
        (max(0.0, now - started), job)
        for job, started, place in found
        if job.state is JobState.IN_PROGRESS
        and job.id not in over
        and (not job.runner or job.runner.startswith(HOSTED) or newest[place] <= started)
    )
    return sorted(ages, key=lambda one: (-one[0], one[1].id))


def duration_p50(jobs: Iterable[WorkflowJob], running: Iterable[float], now: float) -> float | None:
    """Median duration in seconds by Kaplan and Meier, over the jobs of the last hour; None if no job has ended.

    `running` are ages of running jobs: their durations are longer. While more than half of the jobs still run, the
    median is that of all ended ones, and at least that of the ages.
    """
    ran = [(max(0.0, j.completed_at - j.started_at), j.started_at) for j in jobs if j.completed_at and j.started_at]
    ended = [(seconds, 1) for seconds, since in ran if now - since <= COMPLETED_SECONDS]
    known, still = sorted([*ended, *((age, 0) for age in running if age <= COMPLETED_SECONDS)]), 1.0
    for before, (seconds, over) in enumerate(known):
        still *= 1 - over / (len(known) - before)
        if still < HALF:
            return seconds
    return max(statistics.median(one[0] for one in each or ran) for each in (ran, known)) if ran else None


def _lately(at: float | None, now: float) -> bool:
    """Whether it was in the last 15 minutes; a fast clock moves nothing out of them."""
    return at is not None and now - at <= WINDOW_SECONDS


def _sources(jobs: Iterable[WorkflowJob]) -> tuple[Tally, ...]:
    """Jobs by `repository / workflow`, most first."""
    found = Counter(f"{job.repository} / {job.workflow or 'unnamed workflow'}" for job in jobs)
    ordered = sorted(found.items(), key=lambda source: (-source[1], source[0]))
    return tuple(Tally(name, float(number)) for name, number in ordered[:MOST_SOURCES])


def ended_jobs(jobs: Iterable[WorkflowJob], now: float, seconds: float) -> tuple[EndedJob, ...]:
    """The jobs that ran and ended lately, the newest first, with their kinds."""
    ended = (
        EndedJob(_kind(job), job.completed_at, max(0.0, job.completed_at - job.started_at), job.repository)
        for job in jobs
        if job.completed_at and job.started_at and now - job.completed_at <= seconds
    )
    return tuple(sorted(ended, key=lambda one: (-one.ended_at, one.kind)))


def _kind(job: WorkflowJob) -> str:
    return kind_of(job.workflow, job.name, job.labels)


def _group(job: WorkflowJob) -> tuple[str, str, str]:
    return _kind(job), ", ".join(job.labels), job.repository


def _name(job: WorkflowJob) -> str:
    return f"{job.workflow} / {job.name}" if job.workflow else job.name


def _as_row(job: WorkflowJob, now: float) -> Job:
    return Job(_name(job), max(0.0, now - job.begun), job.repository, job.url)


def _without_webhooks(line: WebhookCoverage | None, now: float) -> str:
    """Why silence is not reliable; empty if every event of the last 15 minutes arrived."""
    if line is None:
        return NEVER
    if line.silent(now):
        return f"GitHub's webhooks have told nothing since {clock(line.last)} UTC; they may have been lost"
    if now - line.since < WINDOW_SECONDS:
        whole = count(round(WINDOW_SECONDS / 60), "minute")
        return f"GitHub's webhooks have been heard since {clock(line.since)} UTC; this needs {whole}"
    return ""
