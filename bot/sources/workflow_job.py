"""Parses a `workflow_job` webhook of GitHub Actions to a WorkflowJob."""

from collections.abc import Mapping
from dataclasses import replace

from bot.core.pool.job import UNSTARTED, JobState, WorkflowJob, key_of
from bot.sources.labels import link
from bot.sources.payload import Unreadable, fields, instant, items, read, text

MOST_LABELS = 100
"""Origin: as many as GitHub's API gives a runner in one call."""
MOST_LABEL_CHARS = 100
MOST_TEXT_CHARS = 300
STATES = {
    "queued": JobState.QUEUED,
    "in_progress": JobState.IN_PROGRESS,
    "completed": JobState.COMPLETED,
    "waiting": JobState.WAITING,
    "pending": JobState.WAITING,
    "requested": JobState.WAITING,
}
"""GitHub's action or status → the state."""


def parse(body: bytes, now: float) -> WorkflowJob | None:
    """The job of a `workflow_job` event that arrived at `now` (epoch seconds).

    None for an unknown action. A job that asks for a group of runners alone has no labels, and GitHub names the group
    only once it runs. Raises only Unreadable.
    """
    event = read(body)
    job = fields(event.get("workflow_job"))
    if not job:
        raise Unreadable("workflow_job: missing; a `workflow_job` event has an object here")
    number = text(job.get("id"), 40)
    if not (number.isascii() and number.isdigit()):
        raise Unreadable("workflow_job.id: missing or no whole number; it tells one job from another")
    state = state_of(text(event.get("action")), text(job.get("status")), items(job.get("steps")))
    if state is None:
        return None
    place = fields(event.get("repository"))
    repository, public = text(place.get("full_name"), MOST_TEXT_CHARS), place.get("private") is False
    gate = instant(fields(event.get("deployment")).get("updated_at")) if state in UNSTARTED else None
    return replace(job_of(job, state), id=number, repository=repository, public=public, seen_at=now, since=gate)


def job_of(row: Mapping[str, object], state: JobState) -> WorkflowJob:
    """The job in a row, which webhooks and the REST API write alike; its repository stands elsewhere.

    GitHub gives `started_at` also to jobs that never ran, so it counts only with a runner or with steps.
    """
    taken = state in {JobState.IN_PROGRESS, JobState.COMPLETED}
    runner = text(row.get("runner_name"), MOST_LABEL_CHARS) if taken else ""
    ran = state is JobState.IN_PROGRESS or (taken and bool(runner or row.get("steps")))
    return WorkflowJob(
        id=text(row.get("id"), 40),
        run=text(row.get("run_id"), 40),
        name=text(row.get("name"), MOST_TEXT_CHARS),
        workflow=text(row.get("workflow_name"), MOST_TEXT_CHARS),
        repository="",
        labels=_labels(row.get("labels")),
        state=state,
        created_at=instant(row.get("created_at")),
        started_at=instant(row.get("started_at")) if ran else None,
        completed_at=instant(row.get("completed_at")) if state is JobState.COMPLETED else None,
        conclusion=text(row.get("conclusion"), MOST_LABEL_CHARS),
        attempt=attempt if isinstance(attempt := row.get("run_attempt"), int) else None,
        runner=runner,
        url=link(text(row.get("html_url"), None)),
        branch=text(row.get("head_branch"), MOST_TEXT_CHARS),
        commit=text(row.get("head_sha"), MOST_LABEL_CHARS).lower(),
    )


def state_of(action: str, status: str, steps: list[object]) -> JobState | None:
    """The job's state: the later one of action and status; None if neither is known.

    The REST API gives a status alone. `queued` with the status `waiting` is held (docs/design/back-ends.md#ci-systems).
    A job with steps has begun, whatever its status says.
    """
    states = {STATES[word] for word in (action, status) if word in STATES}
    for state in (JobState.COMPLETED, JobState.IN_PROGRESS):
        if state in states:
            return state
    if steps and states:
        return JobState.IN_PROGRESS
    return STATES.get(status) or STATES.get(action)


def _labels(value: object) -> tuple[str, ...]:
    """Every label once, in its first spelling."""
    found: dict[str, str] = {}
    for item in items(value):
        label = text(item, MOST_LABEL_CHARS).strip()
        if label:
            found.setdefault(key_of(label), label)
    return tuple(found.values())[:MOST_LABELS]
