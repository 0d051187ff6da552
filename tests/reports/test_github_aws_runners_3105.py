"""github-aws-runners/terraform-aws-github-runner#3105: the maximum is reached, and the function fails each time."""

from tests.reports.fleet import Fleet


async def test_a_full_pool_is_a_limit_and_no_refusal_of_the_cloud() -> None:
    fleet = Fleet()
    fleet.knows("github", queued=10, oldest_wait_seconds=1800.0, busy=15, idle=0, offline=0, limit=15)
    fleet.knows("cloudwatch", requests=10, oldest_request_seconds=1700.0, dead_requests=0)
    await fleet.fires()
    await fleet.passes(15)
    said = await fleet.diagnosis()
    assert "the pool's limit is reached" in said
    assert "refuse" not in said
