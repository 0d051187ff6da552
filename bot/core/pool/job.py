"""A job of GitHub Actions from webhooks and the REST API, and how its events are merged."""

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from enum import StrEnum

EVERY_LABEL = "*"
"""In place of a runner label: every job."""
NO_LABEL = ""
"""In place of a runner label: the jobs that ask for a group of runners alone."""
COMMON_LABELS = frozenset({"self-hosted", "linux", "windows", "macos", "x64", "arm", "arm64"})
"""Labels that GitHub's runner adds by itself: no pool has to name them, and they identify one least."""
COMPLETED_SECONDS = 3600.0
"""How long an ended job is kept."""
OPEN_SECONDS = 72 * 3600.0
"""How long an open job is kept: `completed` may never arrive.

Origin: GitHub cancels after 24 h, in effect up to 48 h; a day more for delays.
"""
GAP_SECONDS = 900.0
"""A longer silence may mean lost webhooks. Origin: judgement; a busy organization has a job in each quarter."""
HEARD_SECONDS = 7200.0
"""How long the minutes with webhooks are remembered. Origin: twice the hour that is looked at."""


class JobState(StrEnum):
    """The state of a job, in order; `waiting`: held by an approval or a limit."""

    WAITING = "waiting"
    QUEUED = "queued"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"


@dataclass(frozen=True, slots=True)
class WorkflowJob:
    """A job by its number at GitHub; times in epoch seconds, None while they are not known."""

    id: str
    run: str
    name: str
    workflow: str
    repository: str
    """`owner/name`."""
    labels: tuple[str, ...]
    state: JobState
    created_at: float | None = None
    started_at: float | None = None
    """When it started; None if it never ran."""
    completed_at: float | None = None
    conclusion: str = ""
    attempt: int | None = None
    """Which run of its workflow run it is of: from 2 on it runs once more."""
    runner: str = ""
    url: str = ""
    branch: str = ""
    commit: str = ""
    """The whole hash of what it tests, in lower case."""
    public: bool = False
    """Whether GitHub said that its repository is public."""
    seen_at: float = 0.0
    """When its latest event arrived."""
    heard_at: float = 0.0
    """When its first event arrived."""
    since: float | None = None
    """Since when it is held or queued, where it was not since its creation: a gate held it, and let it go."""

    @property
    def begun(self) -> float:
        """When its wait began: its release or its creation, or its first event if these are unknown."""
        known = self.created_at if self.since is None else self.since
        return self.heard_at if known is None else known

    @property
    def inherited(self) -> bool:
        """Whether it ended before it was created: a later attempt of its run lists it again, and it does not run."""
        return self.created_at is not None and self.completed_at is not None and self.completed_at < self.created_at


@dataclass(frozen=True, slots=True)
class WebhookCoverage:
    """How long GitHub's webhooks have arrived without a gap; epoch seconds, to the minute."""

    since: float
    """Every event since then arrived, as far as can be known here."""
    last: float

    def silent(self, now: float) -> bool:
        """Whether nothing arrived for so long that the connection may be broken."""
        return now - self.last > GAP_SECONDS


ORDER = {state: place for place, state in enumerate(JobState)}
UNSTARTED = frozenset({JobState.WAITING, JobState.QUEUED})
OMITTABLE = frozenset(one.name for one in fields(WorkflowJob)) - {"id", "state", "seen_at", "heard_at"}
"""What an event may omit."""


def told(known: WorkflowJob | None, new: WorkflowJob) -> WorkflowJob:
    """The job after another event; equal to `known` when the event says nothing new.

    Events are repeated, late and in any order (docs/design/back-ends.md#ci-systems). So the state only moves forward,
    an event of an earlier state changes nothing, and fields that an event omits keep their value. A job with a
    deployment may be queued, held, and queued again: these events are in the order of `since`.
    """
    if known is None:
        return replace(new, heard_at=new.seen_at)
    if not _later(known, new):
        return _filled(known, new) if new.state is known.state else known
    since = new.since
    if since is None and known.state is JobState.WAITING and new.state is JobState.QUEUED:
        since = new.heard_at or new.seen_at
    return replace(_filled(replace(new, since=since), known), heard_at=known.heard_at)


def _later(known: WorkflowJob, new: WorkflowJob) -> bool:
    """Whether an event tells what came later: by GitHub's times before a job starts, else by the order of states."""
    if None not in {known.since, new.since} and known.since != new.since and {known.state, new.state} <= UNSTARTED:
        return (new.since or 0.0) > (known.since or 0.0)
    return ORDER[new.state] > ORDER[known.state]


def _filled(job: WorkflowJob, other: WorkflowJob) -> WorkflowJob:
    missing = {name: getattr(other, name) for name in OMITTABLE if getattr(job, name) in {None, "", ()}}
    return replace(job, **missing)


def keep_seconds(job: WorkflowJob, now: float) -> float:
    """How long a job's record is still useful, from `now` (epoch seconds); 0 or less if not."""
    if job.state is JobState.COMPLETED:
        ended = job.seen_at if job.completed_at is None else job.completed_at
        return min(ended, now) + COMPLETED_SECONDS - now
    moved = job.begun if job.started_at is None else max(job.begun, job.started_at)
    return min(moved, now) + OPEN_SECONDS - now


def key_of(label: str) -> str:
    """The list key of a runner label; GitHub ignores case."""
    return label.strip().lower()


def keys_of(labels: Iterable[str]) -> frozenset[str]:
    """The lists of a job with these runner labels."""
    return frozenset(key_of(label) for label in labels) or frozenset({NO_LABEL})


def of_run(run: str) -> str:
    """The list of a run's jobs."""
    return f"run:{run}"


def of_commit(commit: str) -> str:
    """The list of a commit's jobs."""
    return f"commit:{commit}"


def minute_of(now: float) -> str:
    """The minute of an event's arrival."""
    return str(int(now // 60))


def line_of(minutes: Iterable[str], now: float) -> WebhookCoverage | None:
    """The coverage from the minutes with events (`minute_of`); None if there are none."""
    minutes_heard = sorted({float(minute) * 60 for minute in minutes if minute.isascii() and minute.isdigit()})
    if not minutes_heard:
        return None
    since = minutes_heard[-1]
    for at in reversed(minutes_heard):
        if since - at > GAP_SECONDS:
            break
        since = at
    return WebhookCoverage(min(since + 60, now), min(minutes_heard[-1] + 60, now))
