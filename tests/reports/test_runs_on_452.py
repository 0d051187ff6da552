"""runs-on/runs-on#452: `max-parallel` holds jobs back that GitHub calls queued; a runner for each of them stays idle.

github-aws-runners/terraform-aws-github-runner#3607: all `queued` events come at once, and the jobs run one by one.
"""

from dataclasses import replace

from bot.core.pool.job import JobState
from tests.adapters.github.standin import LABEL, stamp
from tests.reports.fleet import Fleet
from tests.reports.test_webhooks_not_retried import job


async def test_nobody_is_told_to_start_more_runners() -> None:
    fleet = Fleet()
    github, now = fleet.github(limit=12), fleet.clock.now()
    fleet.jobs.heard_for(3600)
    run = github.run(1, "in_progress", age=2400)
    started = {"started_at": stamp(now - 500), "runner_name": "r0"}
    github.job(run, 100, "in_progress", age=2400, **started)
    first = job(100, now - 2400, JobState.IN_PROGRESS, started_at=now - 500)
    fleet.jobs.tell(replace(first, runner="r0", name="test (0)"))
    for number in range(10):
        github.runner(LABEL, busy=number == 0)
    for number in range(1, 10):
        github.job(run, 100 + number, age=2400)
        fleet.jobs.tell(replace(job(100 + number, now - 2400, JobState.QUEUED), name=f"test ({number})"))
    await fleet.fires()
    await fleet.passes(5, lambda: fleet.jobs.heard_for(60))
    said = await fleet.diagnosis()
    assert (fleet.now.queued, fleet.now.idle) == (9, 9)
    assert "idle runners are not getting the jobs" in said
    assert "More runners don't help" in said
