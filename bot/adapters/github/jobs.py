"""Parses workflow runs and jobs from GitHub's REST API."""

from collections.abc import Mapping
from dataclasses import dataclass

from bot.core.pool.job import JobState, WorkflowJob
from bot.sources.payload import instant, text
from bot.sources.workflow_job import job_of

STATES = {"in_progress": JobState.IN_PROGRESS, "completed": JobState.COMPLETED, "queued": JobState.QUEUED}
"""Any other status (waiting, pending, requested) holds a job back before it can queue."""
STALE_SECONDS = 6 * 3600.0


@dataclass(frozen=True, slots=True)
class Run:
    id: str
    status: str
    created_at: float
    updated_at: float

    def stale(self, now: float) -> bool:
        """Whether the run never changed: it was cancelled and the event was lost (pytorch/test-infra PR#8632)."""
        return now - self.created_at > STALE_SECONDS and self.updated_at == self.created_at


@dataclass(frozen=True, slots=True)
class Repository:
    id: str
    name: str
    """`owner/name`."""


def run(row: Mapping[str, object]) -> Run | None:
    """A row of `workflow_runs`."""
    created, updated, status = instant(row.get("created_at")), instant(row.get("updated_at")), row.get("status")
    if "id" not in row or created is None or not isinstance(status, str):
        return None
    return Run(str(row["id"]), status, created, created if updated is None else updated)


def repository(row: Mapping[str, object]) -> Repository | None:
    """A row of an organisation's repositories; None if no jobs can run in it."""
    name = row.get("full_name")
    if row.get("archived") is True or row.get("disabled") is True or not isinstance(name, str):
        return None
    return Repository(str(row.get("id")), name)


def job(row: Mapping[str, object]) -> WorkflowJob | None:
    """A job from a row of a run's `jobs`; the row does not name the repository.

    A job with steps is running, whatever its status says (docs/design/diagnosis.md#definitions).
    """
    state = STATES.get(text(row.get("status")), JobState.WAITING)
    if "id" not in row or not isinstance(row.get("labels"), list):
        return None
    return job_of(row, JobState.IN_PROGRESS if state is JobState.QUEUED and row.get("steps") else state)
