"""pytorch/pytorch#98474: the region has no machines of a type, and its jobs wait for two hours."""

from datetime import UTC, datetime

import pytest

from tests.adapters.metrics.test_launch_errors import MESSAGES
from tests.adapters.scalers.aws_api import AwsApi
from tests.reports.fleet import Fleet

VOLUMES = "Max storage has been exceeded: VolumeLimitExceeded. Launching EC2 instance failed."


@pytest.mark.usefixtures("made_up_aws")
@pytest.mark.parametrize(
    ("message", "cause"),
    [(MESSAGES[0][1], "the cloud is out of this machine type"), (VOLUMES, "a quota is used up")],
    ids=["pytorch/pytorch#98474", "pytorch/pytorch#155265"],
)
async def test_what_the_group_says_of_its_launches_is_the_cause(message: str, cause: str) -> None:
    fleet = Fleet()
    at = datetime.fromtimestamp(fleet.clock.now() - 60, UTC)
    group = AwsApi(states={"InService": 12}, most=60, launches=[message] * 5, launched_at=at)
    fleet.knows("github", queued=40, oldest_wait_seconds=7200.0, busy=12, idle=0, offline=0)
    async with group.url() as url:
        fleet.add_at("ec2_auto_scaling", {"group": "ci-linux"}, region="us-east-1", endpoint_url=url)
        await fleet.fires()
        await fleet.passes(3)
        said = await fleet.diagnosis()
    assert cause in said
    assert "More runners don't help" in said
