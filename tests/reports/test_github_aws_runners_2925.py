"""github-aws-runners/terraform-aws-github-runner#2925: in a stock-out the scale-up function succeeds, and jobs wait."""

from tests.reports.fleet import Fleet


async def test_requests_that_pile_up_are_the_cause_and_more_runners_are_none() -> None:
    """195 requests wait and 27 were given up; from 7.0 on no metric of the function says that the cloud refuses."""
    fleet = Fleet()
    fleet.knows("github", queued=195, oldest_wait_seconds=2400.0, busy=12, idle=0, offline=0, limit=300)
    fleet.knows("cloudwatch", requests=195, oldest_request_seconds=2300.0, dead_requests=27)
    await fleet.fires()
    await fleet.passes(15)
    said = await fleet.diagnosis()
    assert "launch requests pile up" in said
    assert "195 launch requests waiting" in said
    assert "not known" not in said
    assert "More runners don't help" in said
