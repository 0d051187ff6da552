"""actions/runner#4312: after a cancelled job a runner stays active for hours, and jobs queue behind it (also #3775)."""

from tests.adapters.github.standin import LABEL
from tests.reports.fleet import Fleet


async def test_runners_that_are_busy_with_nothing_are_counted() -> None:
    """Eight hosts are busy, and no job runs on any of them."""
    fleet = Fleet()
    github = fleet.github(limit=8)
    for _ in range(8):
        github.runner(LABEL, busy=True)
    github.job(github.run(1, age=2400), 11, age=2400)
    fleet.jobs.heard_for(3600)
    await fleet.fires()
    await fleet.passes(20, lambda: fleet.jobs.heard_for(60))
    assert (fleet.now.busy, fleet.now.running_jobs) == (8, 0)
    assert "8 runners busy, but only 0 jobs of this pool running" in await fleet.diagnosis()
