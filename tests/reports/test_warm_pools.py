"""Machines that an Auto Scaling group keeps ready: they are launched twice, and serve nobody before the second time.

jenkinsci/ec2-fleet-plugin#519 and buildkite/terraform-buildkite-elastic-ci-stack-for-aws#148 keep stopped machines;
keikoproj/instance-manager#277 started them from there in half the time.
"""

import pytest

from bot.core.pool.pool import Snapshot
from tests.adapters.metrics.rig import Rig
from tests.adapters.scalers.aws_api import AwsApi
from tests.builders import POOL

pytestmark = pytest.mark.usefixtures("made_up_aws")
KEPT, TAKEN = "Launching a new EC2 instance into warm pool: i-0a", "Launching a new EC2 instance from warm pool: i-0a"


async def look(group: AwsApi) -> Snapshot:
    rig = Rig(
        "ec2_auto_scaling", lambda url: {"region": "us-east-1", "endpoint_url": url}, {},
        group.launched_at.timestamp() + 5, POOL, {"group": "ci-linux"},
    )  # fmt: skip
    return await rig.look(group)


async def test_what_is_made_ready_is_no_machine_that_came() -> None:
    states = {"InService": 4, "Pending": 1, "Warmed:Stopped": 3, "Warmed:Pending": 2, "Warmed:Running": 1}
    group = AwsApi(states=states, desired=5, launches=[""] * 5, named=[KEPT, KEPT, KEPT, TAKEN, TAKEN])
    found = await look(group)
    assert (found.machines, found.booting, found.creates, found.create_failures) == (4, 1, 2, 0)


async def test_what_cannot_be_made_ready_is_refused_by_the_cloud_too() -> None:
    refusal = "We currently do not have sufficient m5.large capacity. Launching EC2 instance failed."
    found = await look(AwsApi(states={"InService": 4}, desired=4, launches=[refusal] * 3, named=[KEPT] * 3))
    assert (found.creates, found.create_failures) == (0, 3)
