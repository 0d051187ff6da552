"""kubernetes/autoscaler#5591: somebody suspended the launches of a group, and each larger size brings nobody."""

import pytest

from tests.adapters.scalers.aws_api import AwsApi
from tests.reports.fleet import Fleet


@pytest.mark.usefixtures("made_up_aws")
async def test_a_group_that_may_start_nothing_is_the_cause() -> None:
    """AWS writes no failed activity then, so that nothing seems to be refused."""
    fleet = Fleet()
    group = AwsApi(states={"InService": 12}, desired=30, most=60, launches=[""], suspended="User suspended")
    fleet.knows("github", queued=40, oldest_wait_seconds=3600.0, busy=12, idle=0, offline=0)
    async with group.url() as url:
        fleet.add_at("ec2_auto_scaling", {"group": "ci-linux"}, region="us-east-1", endpoint_url=url)
        await fleet.fires()
        await fleet.passes(3)
        said = await fleet.diagnosis()
    assert (fleet.now.create_failures, fleet.now.create_failures_by_code[0].name) == (18, "LaunchSuspended")
    assert "LaunchSuspended" in said
    assert "More runners don't help" in said
