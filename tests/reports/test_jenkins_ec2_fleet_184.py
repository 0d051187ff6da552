"""jenkinsci/ec2-fleet-plugin#184: the size of a fleet counts weights, and is taken for a number of machines."""

import pytest

from tests.adapters.scalers.aws_api import AwsApi
from tests.builders import gaps
from tests.reports.fleet import Fleet


@pytest.mark.usefixtures("made_up_aws")
async def test_a_maximum_in_weights_is_no_number_of_machines() -> None:
    """Five machines of weight 6 are all that 30 allows; as machines it would have room for 25 more."""
    fleet = Fleet()
    fleet.knows("jenkins", queued=20, oldest_wait_seconds=1800.0, busy=5, idle=0, offline=0)
    group = AwsApi(states={"InService": 5}, most=30, desired=30, weight="6")
    async with group.url() as url:
        fleet.add_at("ec2_auto_scaling", {"group": "ci-linux"}, region="us-east-1", endpoint_url=url)
        await fleet.fires()
        await fleet.passes(15)
        said = await fleet.diagnosis()
    assert (fleet.now.machines, fleet.now.limit) == (5, None)
    assert "MaxSize of ci-linux counts weights, not instances" in str(gaps(fleet.now))
    assert "machines do not come" not in said
