"""palantir/policy-bot#106: the server's clock is four minutes off GitHub's. llvm/llvm-project#130941 read odd waits."""

import pytest

from bot.core.pool.job import JobState
from tests.adapters.github.standin import LABEL
from tests.reports.fleet import Fleet
from tests.reports.test_webhooks_not_retried import job


@pytest.mark.parametrize("webhooks", [True, False])
async def test_a_job_that_comes_in_four_minutes_waits_and_for_no_time(*, webhooks: bool) -> None:
    fleet = Fleet()
    github, ahead = fleet.github(limit=40), 240.0
    if webhooks:
        fleet.jobs.heard_for(3600)
        fleet.jobs.tell(job(11, fleet.clock.now() + ahead, JobState.QUEUED))
    github.runner(LABEL, busy=True)
    github.job(github.run(1, age=-ahead), 11, age=-ahead)
    await fleet.fires()
    before = (fleet.now.queued, fleet.now.oldest_wait_seconds)
    await fleet.passes(5, lambda: fleet.jobs.heard_for(60) if webhooks else None)
    assert (before, fleet.now.queued, fleet.now.oldest_wait_seconds) == ((1, 0.0), 1, 60.0)
