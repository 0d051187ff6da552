"""The page on AWS Auto Scaling groups: its configuration through the doctor, the good case and each failure."""

from pathlib import Path
from typing import Any

import pytest

from bot.adapters.scalers.aws_asg import build
from handlers.tools.doctor.findings import CheckFinding, Level
from tests.adapters.back_end import parts_with, patient_pool
from tests.adapters.scalers.aws_api import AwsApi
from tests.answering import answering
from tests.integrations.checking import said
from tests.integrations.scalers import actions_of, scaler_finding

pytestmark = pytest.mark.usefixtures("made_up_aws")


async def found(api: AwsApi, folder: Path) -> CheckFinding:
    """What the doctor says of the page's configuration against a stand-in."""
    async with answering(api.endpoint) as url:
        there = {'region = "us-east-1"\n': f'region = "us-east-1"\nendpoint_url = "{url}"\n'}
        return await scaler_finding("aws", folder, there)


async def test_the_configuration_of_the_page_works(tmp_path: Path) -> None:
    """Only reading was tried."""
    api = AwsApi()
    one = await found(api, tmp_path)
    assert (one.state, one.text) == (Level.OK, "linux: 10 runners now, at most 40; only read access was tested")
    assert {action for action, _ in api.asked} == {"DescribeAutoScalingGroups", "DescribeScalingActivities"}


async def test_the_policy_of_the_page_allows_what_is_called_and_no_more(tmp_path: Path) -> None:
    """Least permission, by what the stand-in was really asked."""
    api = AwsApi()
    async with answering(api.endpoint) as url, patient_pool() as wire:
        raw = {"kind": "aws_asg", "group": "ci-linux", "region": "us-east-1", "endpoint_url": url, "max": 40}
        scaler, _ = build("linux", "[x]", raw, parts_with(wire))
        await scaler.read()
        await scaler.set(24, "act-1")
    assert actions_of("aws") == {f"autoscaling:{action}" for action, _ in api.asked}


@pytest.mark.parametrize(
    ("parts", "state", "text"),
    [
        ({"group": "another"}, Level.PROBLEM, "There is no Auto Scaling group ci-linux in us-east-1; correct `group`"),
        (
            {"faults": {"DescribeAutoScalingGroups": "AccessDenied"}},
            Level.PROBLEM,
            "allow autoscaling:DescribeAutoScalingGroups to Tailback's role",
        ),
        (
            {"faults": {"DescribeAutoScalingGroups": "InvalidClientTokenId"}},
            Level.PROBLEM,
            "AWS refused the credentials (InvalidClientTokenId)",
        ),
        ({"faults": {"DescribeAutoScalingGroups": "Throttling"}}, Level.PROBLEM, "AWS asks to wait (Throttling)"),
        (
            {"most": 20},
            Level.WARNING,
            "max is 40, but the autoscaler allows 20 (MaxSize of Auto Scaling group ci-linux)",
        ),
        ({"there": 4, "failure": "Quota exceeded."}, Level.WARNING, "linux: Quota exceeded."),
        ({"weight": "4"}, Level.PROBLEM, "counts weights, not instances; use a group without weights"),
    ],
)
async def test_each_failure_is_told_with_its_remedy(
    tmp_path: Path, parts: dict[str, Any], state: Level, text: str
) -> None:
    one = await found(AwsApi(**parts), tmp_path)
    assert one.state is state
    assert text in said(one)
    assert one.remedy


async def test_no_credentials_are_told_with_the_ways_to_give_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """boto3's own chain found nothing."""
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    one = await found(AwsApi(), tmp_path)
    assert "AWS credentials" in one.text
    assert "AWS_PROFILE" in said(one)
