"""cattle-ops/terraform-aws-gitlab-runner#1313: a maximum of machines is given to the manager as one of jobs.

Three jobs fit on a machine, so that 9 of 25 machines come, and the manager is full.
"""

import pytest

from bot.core.pool.pool import Contradiction, Tally
from tests.adapters.scalers.aws_api import AwsApi
from tests.reports.fleet import Fleet


@pytest.mark.usefixtures("made_up_aws")
async def test_two_limits_in_one_unit_contradict_each_other() -> None:
    """25 machines of the group are 75 places, three times those of the manager."""
    fleet = Fleet(runners_per_machine=3)
    fleet.knows("gitlab", queued=25, oldest_wait_seconds=1800.0)
    fleet.prometheus("gitlab", busy=25, limit=25)
    group = AwsApi(states={"InService": 9}, most=25, desired=9)
    async with group.url() as url:
        keys = {"group": "ci-linux", "runners_per_machine": 3}
        fleet.add_at("ec2_auto_scaling", keys, region="us-east-1", endpoint_url=url)
        await fleet.fires()
        await fleet.passes(10)
        said = await fleet.diagnosis()
    limits = (Tally("prometheus", 25), Tally("ec2_auto_scaling", 75))
    assert (fleet.now.limit, fleet.now.contradictions) == (25, (Contradiction("limit", limits),))
    assert "limit: prometheus 25, ec2_auto_scaling 75" in said
