"""buildkite/buildkite-agent-scaler#39: agents end, and the machine that they shared stays in service for one more job.

The group is full by its machines, so that nothing is launched while jobs wait; by its agents it has room.
"""

import pytest

from tests.adapters.scalers.aws_api import AwsApi
from tests.reports.fleet import Fleet


@pytest.mark.usefixtures("made_up_aws")
async def test_machines_that_have_lost_most_of_their_agents_fill_the_limit() -> None:
    """Ten machines of four: 14 of their 40 agents are left."""
    fleet = Fleet(runners_per_machine=4)
    fleet.knows("buildkite", queued=18, oldest_wait_seconds=5400.0, busy=14, idle=0, offline=0)
    group = AwsApi(states={"InService": 10}, most=10, desired=10)
    async with group.url() as url:
        keys = {"group": "ci-linux", "runners_per_machine": 4}
        fleet.add_at("ec2_auto_scaling", keys, region="us-east-1", endpoint_url=url)
        await fleet.fires()
        await fleet.passes(25)
        said = await fleet.diagnosis()
    assert (fleet.now.machines, fleet.now.limit) == (10, 40)
    assert "26 of 40 runners of the machines in service have not registered" in said
    assert "machines do not come" not in said
