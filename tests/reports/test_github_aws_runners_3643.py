"""github-aws-runners/terraform-aws-github-runner#3643: a job that names a group of runners alone has no labels.

Its `workflow_job` event names the group only once the job runs, so no pool could take it for its own, and each pool
read 0 beside it.
"""

from dataclasses import replace

from bot.core.incident.incident import State
from bot.core.pool.job import JobState
from tests.adapters.github.standin import LABEL
from tests.reports.fleet import Fleet
from tests.reports.test_webhooks_not_retried import job


async def test_nothing_drains_beside_a_job_that_waits_for_a_group() -> None:
    fleet = Fleet()
    fleet.webhooks(label=LABEL)
    fleet.jobs.heard_for(1800)
    now = fleet.clock.now()
    alone = replace(job(12, now - 900, JobState.QUEUED), labels=())
    fleet.jobs.tell(job(11, now - 900, JobState.QUEUED), alone)
    await fleet.fires()
    before = fleet.now.queued
    fleet.jobs.tell(job(11, fleet.clock.now(), JobState.IN_PROGRESS, started_at=now))
    await fleet.resolves(1)
    await fleet.passes(5, lambda: fleet.jobs.heard_for(60))
    held = (before, fleet.now.queued, fleet.state)
    at = fleet.clock.now()
    fleet.jobs.tell(replace(alone, state=JobState.IN_PROGRESS, started_at=at, seen_at=at))
    await fleet.passes(4, lambda: fleet.jobs.heard_for(60))
    assert (held, fleet.now.queued, fleet.state) == ((1, None, State.EASING), 0, State.DRAINED)
