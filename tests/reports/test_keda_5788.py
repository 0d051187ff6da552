"""kedacore/keda#5788: a run waits for an approval of one job, and another of its jobs waits for a runner.

The run's status is `waiting` (also actions/actions-runner-controller#2723), so that a list of queued runs lacks it.
"""

from tests.adapters.github.standin import LABEL
from tests.reports.fleet import Fleet


async def test_the_job_that_needs_no_approval_is_in_the_queue() -> None:
    fleet = Fleet()
    github = fleet.github(limit=40)
    github.runner(LABEL, busy=True)
    run = github.run(1, "waiting", age=1200)
    github.job(run, 11, age=1200)
    held = github.job(run, 12, "waiting", age=1200)
    await fleet.fires()
    before = fleet.now.queued
    held["status"] = "queued"
    await fleet.passes(0.5)
    assert (before, fleet.now.queued, fleet.now.oldest_wait_seconds) == (1, 2, 1230.0)
