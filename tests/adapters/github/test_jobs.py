"""Rows of GitHub's answers, our own samples and recordings of others, become runners, runs and jobs."""

from dataclasses import replace
from typing import Any

import pytest

from bot.adapters.github.queue import job, repository, run
from bot.adapters.github.runners import RunnerList, runner
from bot.core.pool.job import JobState
from tests.adapters.github.standin import sample
from tests.builders import NOW


def test_a_runner_is_told_by_its_labels_names() -> None:
    """GitHub gives labels the number 0; names differ in case from runner to runner."""
    found = RunnerList([one for row in sample("runners")["runners"] if (one := runner(row))])
    assert found.counts(["self-hosted", "linux.2xlarge"]) == {"busy": 1, "idle": 1, "offline": 0}
    assert found.counts(["macos.m2"])["offline"] == 1
    assert RunnerList().counts(["gpu"])["idle"] == 0


def test_a_run_that_nothing_ever_happened_to_is_stale_after_six_hours() -> None:
    """pytorch/test-infra PR#8632: its updated_at is its created_at."""
    found = run(sample("runs")["workflow_runs"][0])
    assert found is not None
    assert not found.stale(NOW + 86400)
    assert replace(found, updated_at=found.created_at).stale(found.created_at + 6 * 3600 + 1)


def test_jobs_are_told_apart_by_what_they_do() -> None:
    """Queued, running in spite of its status, held back, and over without having run."""
    found = [one for row in sample("run_jobs")["jobs"] if (one := job(row))]
    assert [one.state for one in found] == [JobState.QUEUED, JobState.IN_PROGRESS, JobState.WAITING, JobState.COMPLETED]
    assert [one.started_at is None for one in found] == [True, False, True, True]
    assert found[0].url.endswith("/15600000001/job/42000000001")
    assert (found[0].workflow, found[0].branch, found[0].created_at) == ("pull", "gpu-sorting", NOW - 1800)


@pytest.mark.parametrize("row", [{}, {"id": 1}, {"id": 1, "labels": None, "status": 7}, {"full_name": 1}])
def test_rows_that_cannot_be_read_are_none(row: dict[str, Any]) -> None:
    assert (job(row), run(row), repository(row), runner(row)) == (None,) * 4


def test_nothing_runs_in_an_archived_repository() -> None:
    assert repository({"id": 1, "full_name": "a/b", "archived": True}) is None


def test_a_link_that_is_none_becomes_none() -> None:
    found = job({**sample("run_jobs")["jobs"][0], "html_url": "javascript:alert(1)"})
    assert found is not None
    assert found.url == ""
