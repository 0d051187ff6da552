"""aws/karpenter-provider-aws#1407 and aws/aws-cdk#34491: whoever starts the machines may not use their volume's key."""

from datetime import UTC, datetime

import pytest

from tests.adapters.scalers.aws_api import AwsApi
from tests.reports.fleet import Fleet

ENDED = "Instance became unhealthy while waiting for instance to be in InService state. Termination Reason: "
LAUNCH = f"{ENDED}Client.InternalError: Client error on launch"
KEY = "One or more of the attached Amazon EBS volumes are encrypted with an inaccessible AWS KMS key"


@pytest.mark.usefixtures("made_up_aws")
@pytest.mark.parametrize("message", [LAUNCH, KEY], ids=["karpenter-provider-aws#1407", "aws-cdk#34491"])
async def test_a_key_that_may_not_be_used_is_no_outage_of_the_cloud(message: str) -> None:
    """EC2 calls an error of its caller `Client.InternalError`; waiting for the cloud mends nothing."""
    fleet = Fleet()
    at = datetime.fromtimestamp(fleet.clock.now() - 60, UTC)
    group = AwsApi(states={"InService": 12}, most=60, launches=[message] * 5, launched_at=at)
    fleet.knows("github", queued=40, oldest_wait_seconds=7200.0, busy=12, idle=0, offline=0)
    async with group.url() as url:
        fleet.add_at("ec2_auto_scaling", {"group": "ci-linux"}, region="us-east-1", endpoint_url=url)
        await fleet.fires()
        await fleet.passes(3)
        said = await fleet.diagnosis()
    assert "*Cause:* permission is denied" in said
