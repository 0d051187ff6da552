"""akuity/kargo#6630: where GitHub does not know a new token yet, it does not find what is there (HTTP 404).

A new token may also be refused for some seconds (octokit/auth-app.js#65).
"""

from bot.core.incident.incident import State
from bot.core.pool.job import JobState
from tests.adapters.github.standin import LABEL
from tests.reports.fleet import Fleet
from tests.reports.test_webhooks_not_retried import job


async def test_a_run_that_is_listed_and_not_found_has_not_lost_its_jobs() -> None:
    """It is looked up because its job waits for long; nothing else says that the job is gone."""
    fleet = Fleet()
    github, now = fleet.github(limit=40), fleet.clock.now()
    github.runner(LABEL, busy=True)
    run = github.run(1, age=3600)
    rows = github.jobs.pop(run)
    fleet.jobs.heard_for(3600)
    fleet.jobs.tell(job(11, now - 3600, JobState.QUEUED))
    fleet.jobs.tell(job(12, now - 3600, JobState.QUEUED))
    await fleet.fires()
    await fleet.passes(32, lambda: fleet.jobs.heard_for(60))
    assert f"/repos/example-org/engine/actions/runs/{run}/jobs" in github.calls()
    github.jobs[run] = rows
    await fleet.resolves(1)
    await fleet.passes(3, lambda: fleet.jobs.heard_for(60))
    assert (fleet.now.queued, fleet.state) == (2, State.EASING)


async def test_without_webhooks_its_queue_is_unknown_and_not_empty() -> None:
    fleet = Fleet()
    github = fleet.github(limit=40)
    github.runner(LABEL, busy=True)
    run = github.run(1, age=1200)
    github.job(run, 11, age=1200)
    await fleet.fires()
    before, rows = fleet.now.queued, github.jobs.pop(run)
    await fleet.passes(0.5)
    without = fleet.now.queued
    github.jobs[run] = rows
    await fleet.passes(0.5)
    assert (before, without, fleet.now.queued) == (1, None, 1)
