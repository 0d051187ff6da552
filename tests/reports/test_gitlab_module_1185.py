"""cattle-ops/terraform-aws-gitlab-runner#1185: the group's maximum is 0 by default, and no machine ever comes."""

import pytest

from tests.adapters.scalers.aws_api import AwsApi
from tests.reports.fleet import Fleet


@pytest.mark.usefixtures("made_up_aws")
async def test_a_group_whose_maximum_is_0_is_the_cause() -> None:
    fleet = Fleet()
    fleet.knows("gitlab", queued=7, oldest_wait_seconds=3000.0, busy=0, offline=0)
    group = AwsApi(states={"InService": 0}, most=0, desired=0)
    async with group.url() as url:
        fleet.add_at("ec2_auto_scaling", {"group": "ci-linux"}, region="us-east-1", endpoint_url=url)
        await fleet.fires()
        await fleet.passes(10)
        said = await fleet.diagnosis()
    assert "*Cause:* the pool's limit is reached (high confidence)" in said
    assert "the limit is 0" in said
