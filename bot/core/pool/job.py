"""One job of GitHub Actions, as webhooks and the REST API tell of it, and how words about it come together."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

COMPLETED_SECONDS = 3600.0
"""A job that ended is kept that long after its end."""
OPEN_SECONDS = 72 * 3600.0
"""A job that waits or runs is kept that long: `completed` may never come, and GitHub cancels after 24 to 48 h."""
GAP_SECONDS = 900.0
"""Webhooks that were silent for longer may have been lost meanwhile."""
HEARD_SECONDS = 7200.0
"""How far back it is remembered in which minutes webhooks came."""


class JobState(StrEnum):
    """Where a job stands, in the order it goes; `waiting`: held by an approval or a limit, no runner may take it."""

    WAITING = "waiting"
    QUEUED = "queued"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"


@dataclass(frozen=True, slots=True)
class WorkflowJob:
    """A job by its number at GitHub; times in epoch seconds, None while they are not known."""

    id: str
    """GitHub's number of the job, as text."""
    run: str
    """GitHub's number of the workflow run."""
    name: str
    workflow: str
    repository: str
    """`owner/name`."""
    labels: tuple[str, ...]
    """What the job asks of a runner, as `runs-on` names it."""
    state: JobState
    created_at: float | None = None
    started_at: float | None = None
    """When a runner took it; None for a job that never ran."""
    completed_at: float | None = None
    conclusion: str = ""
    runner: str = ""
    url: str = ""
    branch: str = ""
    seen_at: float = 0.0
    """When the newest word of it arrived."""
    heard_at: float = 0.0
    """When the first word of it arrived."""

    @property
    def begun(self) -> float:
        """When its wait began: when it was created, or when it was first heard of where that is not told."""
        return self.heard_at if self.created_at is None else self.created_at


@dataclass(frozen=True, slots=True)
class WebhookCoverage:
    """How long GitHub's webhooks have been heard without a gap; epoch seconds, to the minute."""

    since: float
    """Every word since then was heard, as far as one can tell from this end."""
    last: float

    def silent(self, now: float) -> bool:
        """Whether nothing came for so long that silence cannot be told from a broken line."""
        return now - self.last > GAP_SECONDS


ORDER = {state: place for place, state in enumerate(JobState)}


def told(known: WorkflowJob | None, new: WorkflowJob) -> WorkflowJob:
    """The job after another event; equal to `known` when the event says nothing new.

    Events are repeated, late and in any order (docs/design/back-ends.md#ci-systems). So the state only moves forward,
    an event of an earlier state changes nothing, and fields that an event omits keep their value.
    """
    if known is None:
        return replace(new, heard_at=new.seen_at)
    if ORDER[new.state] < ORDER[known.state]:
        return known
    if new.state is known.state:
        return _filled(known, new)
    return replace(_filled(new, known), heard_at=known.heard_at)


def _filled(job: WorkflowJob, other: WorkflowJob) -> WorkflowJob:
    """`job`, and what it lacks from `other`."""
    return replace(
        job,
        run=job.run or other.run,
        name=job.name or other.name,
        workflow=job.workflow or other.workflow,
        repository=job.repository or other.repository,
        labels=job.labels or other.labels,
        created_at=other.created_at if job.created_at is None else job.created_at,
        started_at=other.started_at if job.started_at is None else job.started_at,
        completed_at=other.completed_at if job.completed_at is None else job.completed_at,
        conclusion=job.conclusion or other.conclusion,
        runner=job.runner or other.runner,
        url=job.url or other.url,
        branch=job.branch or other.branch,
    )


def keep_seconds(job: WorkflowJob, now: float) -> float:
    """How long the record of a job is still of use, from `now` (epoch seconds); not above 0 when it is not."""
    if job.state is JobState.COMPLETED:
        ended = job.seen_at if job.completed_at is None else job.completed_at
        return min(ended, now) + COMPLETED_SECONDS - now
    moved = job.begun if job.started_at is None else max(job.begun, job.started_at)
    return min(moved, now) + OPEN_SECONDS - now


def key_of(label: str) -> str:
    """A runner label as jobs are listed under it: GitHub matches labels without regard to case."""
    return label.strip().lower()


def minute_of(now: float) -> str:
    """The minute of a word that arrives, as the line remembers it."""
    return str(int(now // 60))


def line_of(minutes: Iterable[str], now: float) -> WebhookCoverage | None:
    """The line, from the minutes in which words arrived (`minute_of`); None when none is known."""
    heard = sorted({float(minute) * 60 for minute in minutes if minute.isascii() and minute.isdigit()})
    if not heard:
        return None
    since = heard[-1]
    for at in reversed(heard):
        if since - at > GAP_SECONDS:
            break
        since = at
    return WebhookCoverage(min(since + 60, now), min(heard[-1] + 60, now))
