"""pytorch/test-infra#8632: rows of a run whose end was lost read 1.3 days while 923 jobs started in an hour."""

from bot.core.incident.incident import State
from tests.adapters.github.standin import LABEL, stamp
from tests.reports.fleet import Fleet


async def test_rows_that_younger_jobs_overtake_hold_no_thread_open() -> None:
    fleet = Fleet()
    github, age, now = fleet.github(limit=40), 31 * 3600.0, fleet.clock.now()
    github.runner(LABEL, busy=True)
    left = github.run(1, age=8 * 3600, updated_at=stamp(now - 8 * 3600))
    github.job(left, 11, age=8 * 3600)
    github.job(github.run(2, age=age), 12, age=age)
    flowing = github.run(3, "in_progress")
    running = github.job(flowing, 21, "in_progress", age=300, started_at=stamp(now - 240), runner_name="r1")
    await fleet.fires()

    def others_start() -> None:
        running["started_at"] = stamp(fleet.clock.now() - 60)

    await fleet.passes(2, others_start)
    assert (fleet.now.queued, fleet.now.ghosts) == (0, 2)
    await fleet.resolves()
    assert fleet.state is State.DRAINED
