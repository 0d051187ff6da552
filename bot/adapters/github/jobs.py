"""Parses workflow runs and jobs from GitHub's REST API."""

from collections.abc import Mapping
from dataclasses import dataclass

from bot.adapters.github.api import epoch
from bot.adapters.http.json_answer import one_line
from bot.core.pool.job import JobState, WorkflowJob

STATES = {"in_progress": JobState.IN_PROGRESS, "completed": JobState.COMPLETED, "queued": JobState.QUEUED}
"""Any other status (waiting, pending, requested) holds a job back before it can queue."""
STALE_SECONDS = 6 * 3600.0
MOST_CHARS = 300
MOST_LINK_CHARS = 2048


@dataclass(frozen=True, slots=True)
class Run:
    """An unfinished workflow run."""

    id: str
    status: str
    created_at: float
    updated_at: float

    def stale(self, now: float) -> bool:
        """Whether the run never changed: it was cancelled and the event was lost (pytorch/test-infra PR#8632)."""
        return now - self.created_at > STALE_SECONDS and self.updated_at == self.created_at


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository of an organisation."""

    id: str
    name: str
    """`owner/name`."""


def run(row: Mapping[str, object]) -> Run | None:
    """A row of `workflow_runs`."""
    created, updated, status = epoch(row.get("created_at")), epoch(row.get("updated_at")), row.get("status")
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

    A job with steps is running, whatever its status says (docs/design/diagnosis.md#definitions). GitHub gives
    `started_at` also to jobs that never ran, so it counts only with a runner or with steps.
    """
    state = STATES.get(_text(row, "status"), JobState.WAITING)
    labels, steps = row.get("labels"), row.get("steps")
    if "id" not in row or not isinstance(labels, list):
        return None
    if state is JobState.QUEUED and steps:
        state = JobState.IN_PROGRESS
    ran = state is JobState.IN_PROGRESS or (state is JobState.COMPLETED and bool(steps or row.get("runner_name")))
    return WorkflowJob(
        id=str(row["id"]),
        run=str(row.get("run_id", "")),
        name=_text(row, "name"),
        workflow=_text(row, "workflow_name"),
        repository="",
        labels=tuple(label for label in labels if isinstance(label, str)),
        state=state,
        created_at=epoch(row.get("created_at")),
        started_at=epoch(row.get("started_at")) if ran else None,
        completed_at=epoch(row.get("completed_at")) if state is JobState.COMPLETED else None,
        conclusion=_text(row, "conclusion"),
        runner=_text(row, "runner_name"),
        url=_link(row.get("html_url")),
        branch=_text(row, "head_branch"),
    )


def _text(row: Mapping[str, object], key: str) -> str:
    value = row.get(key)
    return one_line(value, MOST_CHARS) if isinstance(value, str) else ""


def _link(value: object) -> str:
    link = value if isinstance(value, str) and len(value) <= MOST_LINK_CHARS else ""
    return link if link.startswith(("https://", "http://")) else ""
