"""actions/actions-runner-controller#3700: failed runners count towards the maximum until somebody deletes them."""

from tests.reports.fleet import Fleet


async def test_failed_runners_that_fill_the_limit_are_the_cause() -> None:
    fleet = Fleet()
    fleet.prometheus("arc", queued=12, busy=2, idle=0, limit=10, booting=0, failed=8)
    await fleet.fires()
    await fleet.passes(15)
    assert "failed runners use up the limit" in await fleet.diagnosis()
