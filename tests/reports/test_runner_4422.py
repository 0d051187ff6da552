"""actions/runner#4422: GitHub lists runners as idle that have run a job for many minutes.

github-aws-runners/terraform-aws-github-runner#5228 found fourteen of them, some listed so a minute after the start.
"""

from dataclasses import replace

from bot.core.pool.job import JobState
from tests.adapters.github.standin import LABEL
from tests.reports.fleet import Fleet
from tests.reports.test_webhooks_not_retried import job


async def test_a_runner_that_a_job_runs_on_is_busy() -> None:
    """The pool is full; nobody says that idle runners do not get the jobs."""
    fleet = Fleet()
    github, now = fleet.github(limit=12), fleet.clock.now()
    github.run(1, "in_progress", age=2400)
    fleet.jobs.heard_for(3600)
    for number in range(12):
        github.runner(LABEL, busy=number < 6)["name"] = f"r{number}"
        running = job(100 + number, now - 1500, JobState.IN_PROGRESS, started_at=now - 1200)
        fleet.jobs.tell(replace(running, runner=f"r{number}"))
    for number in range(9):
        fleet.jobs.tell(job(11 + number, now - 2400, JobState.QUEUED))
    await fleet.fires()
    await fleet.passes(1, lambda: fleet.jobs.heard_for(60))
    assert (fleet.now.busy, fleet.now.idle, fleet.now.running_jobs) == (12, 0, 12)
    said = await fleet.diagnosis()
    assert "the pool's limit is reached" in said
    assert "idle runners are not getting the jobs" not in said
