"""pytorch/test-infra#254: GitHub fails to deliver some webhooks, so that jobs never end; only GitHub itself knows."""

import pytest

from bot.core.jobs.answer import JobStanding
from bot.core.pool.job import JobState
from tests.adapters.github.standin import stamp
from tests.reports.fleet import Fleet
from tests.reports.test_webhooks_not_retried import job

ADDRESS = "https://github.test/example-org/engine/actions/runs/1/job/11"


@pytest.mark.parametrize("state", [JobState.QUEUED, JobState.IN_PROGRESS])
async def test_whoever_asks_for_a_job_without_an_event_for_long_is_told_what_github_says(state: JobState) -> None:
    """Others have waited longer, so that it would have a place and a start."""
    fleet = Fleet()
    github, now = fleet.github(limit=40), fleet.clock.now()
    fleet.jobs.heard_for(3600)
    run = github.run(1, "in_progress", age=3600)
    github.job(run, 10, age=3600)
    github.job(run, 11, "completed", age=2400, conclusion="cancelled", completed_at=stamp(now - 2300))
    fleet.jobs.tell(job(10, now - 3600, JobState.QUEUED))
    fleet.jobs.tell(job(11, now - 2400, state, **({} if state is JobState.QUEUED else {"started_at": now - 2350})))
    fleet.clock.advance(1900)
    github.now = fleet.clock.now()
    fleet.jobs.heard_for(3600)
    await fleet.fires()
    (found,) = (await fleet.asks_of(ADDRESS)).jobs
    assert (found.state, found.conclusion, found.start) == (JobStanding.ENDED, "cancelled", None)


async def test_what_webhooks_told_stands_where_github_does_not_answer() -> None:
    fleet = Fleet()
    github, now = fleet.github(limit=40), fleet.clock.now()
    fleet.jobs.heard_for(3600)
    fleet.jobs.tell(job(11, now - 4000, JobState.QUEUED))
    fleet.clock.advance(1900)
    github.says = [(502, {}, "Server Error")] * 20
    (found,) = (await fleet.asks_of(ADDRESS)).jobs
    assert found.state is JobStanding.WAITING
