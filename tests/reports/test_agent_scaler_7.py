"""buildkite/buildkite-agent-scaler#7: the autoscaler takes busy agents for free ones, so few jobs bring nobody."""

import pytest

from tests.adapters.back_end import parts_with, patient_pool
from tests.adapters.scalers.aws_api import AwsApi
from tests.reports.fleet import Fleet


@pytest.mark.usefixtures("made_up_aws")
async def test_machines_do_not_come_although_they_may_and_a_person_can_ask_for_them() -> None:
    fleet = Fleet()
    fleet.knows("buildkite", queued=3, oldest_wait_seconds=1500.0, busy=3, idle=0, offline=0)
    group = AwsApi(desired=3, there=3, most=10)
    async with group.url() as url, patient_pool() as wire:
        fleet.add_at("ec2_auto_scaling", {"group": "ci-linux"}, region="us-east-1", endpoint_url=url)
        table = {"kind": "aws_asg", "group": "ci-linux", "region": "us-east-1", "endpoint_url": url}
        fleet.scaled_by(table, parts_with(wire, {}, fleet.clock.now()))
        await fleet.fires()
        await fleet.passes(15)
        said = await fleet.diagnosis()
        assert "machines do not come" in said
        assert "More runners help" in said
        await fleet.scaled(6)
    assert group.desired == 6
