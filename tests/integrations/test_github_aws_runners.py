"""The page on github-aws-runners: its configuration through the doctor, the good case and each failure."""

from dataclasses import replace
from pathlib import Path

import pytest

from bot.adapters.scalers.github_aws_runners import build
from handlers.tools.doctor.findings import CheckFinding, Level
from tests.adapters.back_end import parts_with, patient_pool
from tests.adapters.scalers.aws_api import AwsApi
from tests.adapters.scalers.jobs import FakeJobs, job
from tests.answering import answering
from tests.integrations.checking import said
from tests.integrations.scalers import actions_of, scaler_finding

pytestmark = pytest.mark.usefixtures("made_up_aws")


async def found(api: AwsApi, folder: Path) -> CheckFinding:
    """What the doctor says of the page's configuration against a stand-in."""
    async with answering(api.endpoint) as url:
        there = {
            'region = "us-east-1"\n': f'region = "us-east-1"\nendpoint_url = "{url}"\n',
            "https://sqs.us-east-1.amazonaws.com": url,
        }
        return await scaler_finding("github-aws-runners", folder, there)


async def test_the_configuration_of_the_page_works(tmp_path: Path) -> None:
    """Instances are counted, the queue is looked at, nothing is sent; without webhooks there is no limit to warn of."""
    api = AwsApi()
    one = await found(api, tmp_path)
    assert one.state is Level.OK
    assert one.text == "linux.2xlarge: 10 runners now, at most 40; only read access was tested"
    assert {action for action, _ in api.asked} == {"DescribeInstances", "GetQueueAttributes"}


async def test_the_policy_of_the_page_allows_what_is_called_and_no_more() -> None:
    """Sending a batch needs the right to send."""
    api = AwsApi()
    async with answering(api.endpoint) as url, patient_pool() as wire:
        raw = {"kind": "github_aws_runners", "queue_url": f"{url}/1/linux", "region": "us-east-1", "max": 40}
        parts = replace(parts_with(wire), jobs=FakeJobs(job(1)))
        scaler, _ = build("linux", "[x]", {**raw, "endpoint_url": url, "tags": {"a": "b"}}, parts)
        await scaler.set(11, "act-1")
    called = {action.removesuffix("Batch") for action, _ in api.asked}
    assert {action.partition(":")[2] for action in actions_of("github-aws-runners")} == called


@pytest.mark.parametrize(
    ("faults", "text"),
    [
        ({"DescribeInstances": "UnauthorizedOperation"}, "allow ec2:DescribeInstances to Tailback's role"),
        ({"GetQueueAttributes": "AccessDenied"}, "allow sqs:GetQueueAttributes to Tailback's role"),
        ({"GetQueueAttributes": "QueueDoesNotExist"}, "AWS refused GetQueueAttributes (QueueDoesNotExist)"),
        ({"DescribeInstances": "RequestLimitExceeded"}, "AWS asks to wait (RequestLimitExceeded)"),
    ],
)
async def test_each_failure_is_told_with_its_remedy(tmp_path: Path, faults: dict[str, str], text: str) -> None:
    one = await found(AwsApi(faults=faults), tmp_path)
    assert one.state is Level.PROBLEM
    assert text in said(one)
    assert one.remedy
