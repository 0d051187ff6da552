"""actions/runner#936: runners take jobs and work, and for hours GitHub lists none of them."""

from dataclasses import replace

from bot.core.pool.job import JobState
from tests.adapters.github.standin import LABEL
from tests.reports.fleet import Fleet
from tests.reports.test_webhooks_not_retried import job


async def test_no_runner_on_the_list_is_not_none_while_jobs_run() -> None:
    fleet = Fleet()
    github, now = fleet.github(limit=40), fleet.clock.now()
    github.run(1, "in_progress", age=2400)
    fleet.jobs.heard_for(3600)
    for number in range(5):
        github.runner(LABEL, busy=True)["name"] = f"r{number}"
        running = job(100 + number, now - 1500, JobState.IN_PROGRESS, started_at=now - 1200)
        fleet.jobs.tell(replace(running, runner=f"r{number}"))
    for number in range(9):
        fleet.jobs.tell(job(11 + number, now - 2400, JobState.QUEUED))
    await fleet.fires()
    before = fleet.now.busy
    github.runners = []
    await fleet.passes(10, lambda: fleet.jobs.heard_for(60))
    assert (before, fleet.now.busy, fleet.now.idle, fleet.now.running_jobs) == (5, None, None, 5)
    assert "0 of 40 runners" not in await fleet.diagnosis()
