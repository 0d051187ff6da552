"""kent8192/reinhardt-web#3890: a spot machine is taken away, and its runner stays registered as busy."""

from tests.adapters.github.standin import LABEL
from tests.reports.fleet import Fleet


async def test_runners_of_machines_that_are_gone_are_not_busy() -> None:
    """Six were taken away in a job; two are left."""
    fleet = Fleet()
    github = fleet.github(limit=40)
    for online in (True, True, *[False] * 6):
        github.runner(LABEL, busy=True, online=online)
    run = github.run(1, age=1200)
    for number in range(6):
        github.job(run, 11 + number, age=1200)
    await fleet.fires()
    await fleet.passes(10)
    assert (fleet.now.busy, fleet.now.offline, fleet.now.queued) == (2, 6, 6)
    said = await fleet.diagnosis()
    assert "offline" in said
