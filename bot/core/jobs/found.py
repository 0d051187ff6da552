"""What is known of jobs by an address: that of a job, a run, a build, or a pull request."""

from dataclasses import dataclass
from enum import StrEnum

from bot.core.jobs.answer import JobStanding
from bot.core.pool.job import JobState, WorkflowJob


class Unfound(StrEnum):
    """Why an address gives no job."""

    NO_ADDRESS = "no_address"
    """It is no address of a job, and no number of a stored one."""
    NO_SOURCE = "no_source"
    """No configured source belongs to the address."""
    NOT_FOUND = "not_found"
    """The source knows no such job, or may not see it."""
    LONGEST_ONLY = "longest_only"
    """The configured source knows the jobs only that wait or run longest, and this is none of them."""
    NEEDS_TOKEN = "needs_token"  # noqa: S105 - a reason
    """The credentials may not read what leads from the address to its jobs."""
    UNREACHABLE = "unreachable"
    """The source did not answer."""


@dataclass(frozen=True, slots=True)
class FoundJob:
    """One job; texts are from outside and empty while unknown, times in epoch seconds and None while unknown."""

    url: str
    id: str
    name: str
    state: JobStanding
    at: float
    """When this was known."""
    repository: str = ""
    """The repository, project, pipeline or folder."""
    workflow: str = ""
    labels: tuple[str, ...] = ()
    """What it asks of a runner: labels, tags, or the name of a queue."""
    queued_at: float | None = None
    started_at: float | None = None
    ended_at: float | None = None
    conclusion: str = ""
    """How it ended, in the word of the source."""
    source: str = ""
    """The configured name of the source that told it; empty: webhooks."""
    public: bool = False
    """Whether its repository is known to be public."""


@dataclass(frozen=True, slots=True)
class FoundJobs:
    """The jobs of an address, or why there are none."""

    jobs: tuple[FoundJob, ...] = ()
    reason: Unfound | None = None
    """None if there are jobs."""
    why: str = ""
    """The words of the source where it refused or failed."""
    remedy: str = ""


PROGRESS = {
    JobState.WAITING: JobStanding.HELD,
    JobState.QUEUED: JobStanding.WAITING,
    JobState.IN_PROGRESS: JobStanding.RUNNING,
    JobState.COMPLETED: JobStanding.ENDED,
}


def found_job(job: WorkflowJob, at: float, source: str = "") -> FoundJob:
    """A job of GitHub Actions, as it was known at a time (epoch seconds)."""
    return FoundJob(
        job.url, job.id, job.name, PROGRESS[job.state], at, repository=job.repository, workflow=job.workflow,
        labels=job.labels, queued_at=job.begun or None, started_at=job.started_at, ended_at=job.completed_at,
        conclusion=job.conclusion, source=source, public=job.public,
    )  # fmt: skip
