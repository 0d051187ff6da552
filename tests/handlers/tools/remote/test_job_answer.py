"""What `tailback job` prints is what `/queue job` says."""

from dataclasses import asdict, replace

import pytest

from bot.core.jobs.answer import JobAnswer, JobsAhead, JobStanding, JobStart
from bot.core.pool.outlook import Verdict
from bot.core.statement import statement
from bot.views.jobs import job_lines
from bot.views.mrkdwn import unmarked
from handlers.api.values import job_document
from handlers.tools.remote.job_answer import fetch_answer, printed
from tests.builders import NOW, POOL
from tests.handlers.api.conftest import OPEN_TOKEN, with_api
from tests.jobs.test_find import URL

WAITS = {
    "at": "2027-01-15T08:00:00Z", "url": "https://github.com/a/b/actions/runs/1/job/2", "id": "2", "name": "test",
    "pool": POOL, "state": "waiting", "queued_at": "2027-01-15T07:50:00Z", "started_at": None, "ended_at": None,
    "ahead": {"low": 30, "high": 40},
    "start": {"kind": "interval", "low_seconds": 900.0, "median_seconds": 1800.0, "high_seconds": 3000.0},
    "usual_seconds": None, "cause": "limit", "incident": "i1", "reason": None,
}  # fmt: skip


def test_a_waiting_job_is_told_with_start_place_cause_and_incident() -> None:
    text = printed({"items": [WAITS], "next": None}, NOW)
    for words in ("test", POOL, "will probably start in 15 to 50 min",
                  "30 to 40 jobs are ahead", "the pool's limit is reached",
                  "Incident: i1", "The order is an estimate"):  # fmt: skip
        assert words in text
    assert not set("*<>") & set(text)


def test_what_is_unknown_is_said_and_not_guessed() -> None:
    unknown = {**WAITS, "ahead": None, "start": None, "cause": None, "incident": None, "reason": "figures_old"}
    assert "no new figures" in printed({"items": [unknown]}, NOW)
    running = {**unknown, "state": "running", "started_at": "2027-01-15T07:55:00Z", "usual_seconds": 1320}
    assert "22 min" in printed({"items": [running]}, NOW)


JOB = JobAnswer("2", JobStanding.WAITING, NOW, name="test", pool=POOL, pools=(POOL,), queued_at=NOW - 600)
START = JobStart(Verdict.INTERVAL, NOW, 900.0, 1800.0, 3000.0)


@pytest.mark.parametrize(
    "job",
    [
        replace(JOB, pools=(POOL, "other"), ahead=JobsAhead(3, 9), start=START),
        replace(JOB, pool="", pools=(), missing=("linux.huge",), reason=statement("no_pool")),
        replace(JOB, state=JobStanding.UNSERVABLE, missing=("gpu",)),
        replace(JOB, state=JobStanding.HELD),
        replace(JOB, state=JobStanding.RUNNING, started_at=NOW - 60, usual_seconds=900.0),
        replace(JOB, state=JobStanding.ENDED, ended_at=NOW - 60, conclusion="cancelled"),
    ],
    ids=lambda job: job.state.value,
)
def test_the_terminal_says_what_the_private_answer_says(job: JobAnswer) -> None:
    """All that it needs is in the API's answer."""
    lines = printed({"items": [asdict(job_document(job))]}, NOW)
    assert lines.startswith(unmarked(job_lines(job, NOW, {})).replace("*", ""))


async def test_the_command_asks_a_running_tailback(monkeypatch: pytest.MonkeyPatch) -> None:
    async with with_api() as api, api.process() as address:
        await api.world.opens(queued=14)
        monkeypatch.setenv("TAILBACK_URL", address)
        monkeypatch.setenv("TAILBACK_API_TOKEN", OPEN_TOKEN)
        assert "test (default)" in await fetch_answer(f"<{URL}|the job>")
