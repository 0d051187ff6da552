"""TwiN/aws-eks-asg-rolling-update-handler#16 and aws/aws-cli#2226: another activity of the group blocks a new size.

AWS answers `ScalingActivityInProgress` until it is over, which may take minutes.
"""

import pytest

from tests.adapters.back_end import parts_with, patient_pool
from tests.adapters.scalers.aws_api import AwsApi
from tests.reports.fleet import Fleet


@pytest.mark.usefixtures("made_up_aws")
async def test_the_wish_waits_for_the_other_activity_and_is_carried_out_once() -> None:
    fleet = Fleet()
    fleet.knows("github", queued=30, oldest_wait_seconds=2400.0, busy=7, idle=0, limit=40)
    group = AwsApi(desired=7, there=7, most=15, faults={"SetDesiredCapacity": "ScalingActivityInProgress"})
    async with group.url() as url, patient_pool() as wire:
        table = {"kind": "aws_asg", "group": "ci-linux", "region": "us-east-1", "endpoint_url": url}
        fleet.scaled_by(table, parts_with(wire, {}, fleet.clock.now()))
        await fleet.fires()
        await fleet.world.wants(12)
        await fleet.world.work()
        await fleet.passes(1.5)
        assert group.desired == 7
        group.faults.clear()
        before = len(group.requests)
        await fleet.passes(3)
    assert group.desired == 12
    assert [action for action, _ in group.requests[before:]].count("SetDesiredCapacity") == 1
