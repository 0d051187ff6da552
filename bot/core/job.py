"""One job of GitHub Actions, as webhooks and the REST API tell of it."""

from dataclasses import dataclass
from enum import StrEnum


class JobState(StrEnum):
    """Where a job stands; `waiting` waits for an approval or a concurrency limit, not for a runner."""

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
    completed_at: float | None = None
    conclusion: str = ""
    runner: str = ""
    url: str = ""
    branch: str = ""
    installation: str = ""
    """The GitHub App installation that the webhook came from."""
    seen_at: float = 0.0
    """When the newest word of it arrived."""
