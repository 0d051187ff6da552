"""tuist/tuist#12673: a run could not start, and one of its jobs stays queued, which held an alert for 22 hours.

GitHub sends no event of its end (pytorch/test-infra#5164).
"""

import pytest

from bot.core.jobs.answer import JobStanding
from bot.core.statement import statement
from tests.adapters.github.standin import LABEL, stamp
from tests.reports.fleet import Fleet


@pytest.mark.parametrize("others", [0, 5])
async def test_nobody_is_told_that_it_starts_next(others: int) -> None:
    """The pool's queue is empty, or holds younger jobs alone: this one has no place in it."""
    fleet = Fleet()
    github, now = fleet.github(limit=40), fleet.clock.now()
    github.runner(LABEL, busy=True)
    lost = github.run(1, "completed", age=22 * 3600, conclusion="startup_failure")
    github.job(lost, 11, age=22 * 3600)
    for number in range(others):
        github.job(github.run(20 + number, age=300), 200 + number, age=300)
    running = github.run(90, "in_progress", age=600)
    github.job(running, 901, "in_progress", age=600, started_at=stamp(now - 500), runner_name="r1")
    await fleet.fires()
    await fleet.passes(10)
    answer = await fleet.asks_of("https://github.test/example-org/engine/actions/runs/1/job/11")
    (job,) = answer.jobs
    assert (job.state, job.pool, job.ahead, job.start) == (JobStanding.WAITING, LABEL, None, None)
    assert job.reason == statement("no_position")
