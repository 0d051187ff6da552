"""pytorch/pytorch#65922: GPU jobs wait for over seven hours, because too few machines are there for them."""

from bot.core.incident.incident import State
from tests.adapters.github.standin import LABEL, stamp
from tests.reports.fleet import Fleet


async def test_a_job_that_waits_for_seven_hours_is_not_left_out() -> None:
    """Its run never changed, as that of a ghost row; but nothing younger starts."""
    fleet = Fleet()
    github, age = fleet.github(limit=1), 7.2 * 3600
    github.runner(LABEL, busy=True)
    for number in (1, 2, 3):
        run = github.run(number, age=age, updated_at=stamp(fleet.clock.now() - age))
        github.job(run, 10 + number, age=age)
    await fleet.fires()
    await fleet.resolves(10)
    assert (fleet.now.queued, fleet.now.ghosts, fleet.state) == (3, 0, State.EASING)
