"""Words about jobs of GitHub Actions: every state, what GitHub leaves out, and bodies that are no such words."""

import json

import pytest

from bot.core.pool.job import JobState, WorkflowJob
from bot.sources.payload import Unreadable
from bot.sources.workflow_job import MOST_LABELS, parse
from tests.builders import NOW
from tests.sources.github import event

CREATED, STARTED, ENDED = NOW - 1800, NOW - 1130, NOW - 80


def parsed(kind: str = "workflow_job_queued", action: str = "", **parts: object) -> WorkflowJob:
    found = parse(event(kind, action, **parts), NOW)
    assert found is not None
    return found


def test_every_part_of_a_queued_job_is_read() -> None:
    """Number, run, names, labels, link and installation; GitHub's `started_at` of a queued job is no start."""
    assert parsed() == WorkflowJob(
        id="41000000001",
        run="15500000001",
        name="linux-build / test (default, 2, 5, linux.2xlarge)",
        workflow="pull",
        repository="example-org/engine",
        labels=("self-hosted", "linux.2xlarge"),
        state=JobState.QUEUED,
        created_at=CREATED,
        attempt=1,
        url="https://github.com/example-org/engine/actions/runs/15500000001/job/41000000001",
        branch="gpu-sorting",
        commit="5f2b0c1d9e8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c",
        public=True,
        seen_at=NOW,
    )


@pytest.mark.parametrize(
    ("name", "state", "times", "runner"),
    [
        ("workflow_job_queued", JobState.QUEUED, (CREATED, None, None), ""),
        ("workflow_job_queued_waiting", JobState.WAITING, (CREATED, None, None), ""),
        ("workflow_job_waiting", JobState.WAITING, (CREATED, None, None), ""),
        ("workflow_job_queued_old", JobState.QUEUED, (None, None, None), ""),
        ("workflow_job_in_progress", JobState.IN_PROGRESS, (CREATED, STARTED, None), "i-0aa11bb22cc33dd44"),
        ("workflow_job_completed", JobState.COMPLETED, (CREATED, STARTED, ENDED), "i-0aa11bb22cc33dd44"),
        ("workflow_job_cancelled_in_queue", JobState.COMPLETED, (CREATED, None, NOW - 1500), ""),
        ("workflow_job_skipped", JobState.COMPLETED, (CREATED, None, NOW - 1799), ""),
    ],
)
def test_each_payload_has_its_state_and_times(
    name: str, state: JobState, times: tuple[float | None, ...], runner: str
) -> None:
    """A job that ended without a runner never started, whatever `started_at` says."""
    job = parsed(name)
    assert (job.state, (job.created_at, job.started_at, job.completed_at), job.runner) == (state, times, runner)


@pytest.mark.parametrize(
    ("action", "status", "steps", "state"),
    [
        ("queued", "queued", 0, JobState.QUEUED),
        ("queued", "waiting", 0, JobState.WAITING),
        ("queued", "pending", 0, JobState.WAITING),
        ("queued", "requested", 0, JobState.WAITING),
        ("waiting", "waiting", 0, JobState.WAITING),
        ("waiting", "queued", 0, JobState.QUEUED),
        ("queued", "in_progress", 0, JobState.IN_PROGRESS),
        ("queued", "queued", 1, JobState.IN_PROGRESS),
        ("in_progress", "queued", 0, JobState.IN_PROGRESS),
        ("in_progress", "completed", 1, JobState.COMPLETED),
        ("completed", "queued", 0, JobState.COMPLETED),
        ("queued", "", 0, JobState.QUEUED),
        ("waiting", "new_word", 0, JobState.WAITING),
        ("new_word", "queued", 0, JobState.QUEUED),
    ],
)
def test_action_and_status_together_say_where_a_job_stands(
    action: str, status: str, steps: int, state: JobState
) -> None:
    """The later one counts, and `waiting` is held (docs/design/diagnosis.md#definitions)."""
    assert parsed(action=action, status=status, steps=[{}] * steps).state is state


def test_unknown_words_say_nothing() -> None:
    assert parse(event(action="paused", status="asleep"), NOW) is None


@pytest.mark.parametrize("labels", [[], None, "linux", [None, "", " ", {}]])
def test_a_job_that_names_a_group_alone_has_no_labels(labels: object) -> None:
    """GitHub fills `runner_group_name` once it runs (github/docs PR 12083; terraform-aws-github-runner#3643)."""
    assert parsed(labels=labels).labels == ()


def test_every_label_is_kept_once_as_it_is_written() -> None:
    """The pool says which of them is its own; GitHub matches without regard to case."""
    assert parsed(labels=["Self-Hosted", "self-hosted", "Linux", " gpu "]).labels == ("Self-Hosted", "Linux", "gpu")
    assert len(parsed(labels=[f"l{number}" for number in range(300)]).labels) == MOST_LABELS


def test_texts_are_bounded_and_links_are_links() -> None:
    """A record stays small, and no other scheme than http becomes something to click."""
    job = parsed(name="x" * 5000, html_url="javascript:alert(1)", head_branch="\u0000b")
    assert len(job.name) == 300
    assert (job.url, job.branch) == ("", "\N{REPLACEMENT CHARACTER}b")


@pytest.mark.parametrize("number", [None, "", "x1", -5, 1.5, [], "１２"])
def test_a_job_without_a_number_cannot_be_read(number: object) -> None:
    with pytest.raises(Unreadable, match=r"workflow_job\.id"):
        parse(event(id=number), NOW)


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"{}", b'{"workflow_job": []}', b"\xff", b"[" * 100_000])
def test_what_is_no_such_event_is_refused_with_a_sentence(body: bytes) -> None:
    """Nothing else than Unreadable comes out, whatever the bytes are."""
    with pytest.raises(Unreadable):
        parse(body, NOW)


def test_parts_of_any_type_break_nothing() -> None:
    """Each field is replaced by each kind of value; the job is read or refused, and nothing raises."""
    whole = json.loads(event("workflow_job_completed"))
    for name in whole["workflow_job"]:
        odd: list[object] = [None, 5, -1.5, "x", [], [[]], {}, {"a": 1}, True]
        for value in odd:
            changed = {**whole, "workflow_job": {**whole["workflow_job"], name: value}}
            try:
                found = parse(json.dumps(changed).encode(), NOW)
            except Unreadable:
                assert name == "id"
            else:
                assert found is None or found.labels or name == "labels"
