"""actions/runner#3609: a job waits beside runners that are online and idle, until somebody reruns it."""

from bot.core.incident.incident import State
from tests.adapters.github.standin import LABEL
from tests.reports.fleet import Fleet


async def test_idle_runners_that_get_no_job_are_the_cause() -> None:
    fleet = Fleet()
    github = fleet.github(limit=40)
    github.runner(LABEL)
    github.runner(LABEL)
    github.job(github.run(1, age=2400), 11, age=2400)
    await fleet.fires()
    await fleet.passes(5)
    assert fleet.state is State.OPEN
    assert "idle runners are not getting the jobs" in await fleet.diagnosis()
