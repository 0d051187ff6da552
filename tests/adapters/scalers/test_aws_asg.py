"""The `aws_asg` scaler, against moto over HTTP, and against a stand-in that keeps AWS's rules and fails as AWS does."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import boto3
import pytest

from bot.adapters.build_context import BuildContext
from bot.adapters.scalers.aws_asg import build
from bot.ports import Capacity, Failure, Refused, Scaler, Unreachable
from tests.adapters.back_end import parts_with, patient_pool
from tests.adapters.scalers.aws_api import AwsApi
from tests.answering import answering

PLACE = '[pool."linux".scaler]'
TABLE = {"kind": "aws_asg", "group": "ci-linux", "region": "us-east-1", "max": 50}
NAME = "Auto Scaling group ci-linux"


@pytest.fixture
async def parts() -> AsyncIterator[BuildContext]:
    async with patient_pool() as wire:
        yield parts_with(wire)


@pytest.fixture
async def api() -> AwsApi:
    return AwsApi()


@pytest.fixture
async def scaler(api: AwsApi, parts: BuildContext) -> AsyncIterator[Scaler]:
    async with answering(api.endpoint) as url:
        yield build("linux", PLACE, {**TABLE, "endpoint_url": url}, parts)[0]


async def test_a_group_of_moto_is_read_and_set(moto_url: str, parts: BuildContext) -> None:
    """The whole way over HTTP with a client of AWS, in a group that somebody else made."""
    client = boto3.client("autoscaling", region_name="us-east-1", endpoint_url=moto_url)
    made = {"LaunchConfigurationName": "runner", "ImageId": "ami-12c6146b", "InstanceType": "c5.2xlarge"}
    client.create_launch_configuration(**made)
    group = {"AutoScalingGroupName": "ci-linux", "MinSize": 1, "MaxSize": 8, "DesiredCapacity": 2}
    zones = ["us-east-1a"]
    client.create_auto_scaling_group(**group, LaunchConfigurationName="runner", AvailabilityZones=zones)
    scaler, _ = build("linux", PLACE, {**TABLE, "endpoint_url": moto_url}, parts)
    assert await scaler.read() == Capacity(2, 1, 8, desired=2, limited_by=f"MaxSize of {NAME}")
    await scaler.set(5, "act-1")
    await scaler.set(5, "act-1")
    assert (await scaler.read()).level == 5
    with pytest.raises(Refused, match="limited to 8 runners by MaxSize"):
        await scaler.set(9, "act-2")
    group = client.describe_auto_scaling_groups(AutoScalingGroupNames=["ci-linux"])["AutoScalingGroups"][0]
    assert group["DesiredCapacity"] == 5, "moto would have taken 9"


async def test_the_cooldown_of_the_group_is_not_waited_for(scaler: Scaler, api: AwsApi) -> None:
    """HonorCooldown true would answer ScalingActivityInProgress."""
    await scaler.set(24, "act-1")
    sent = next(parameters for action, parameters in api.requests if action == "SetDesiredCapacity")
    assert (sent["AutoScalingGroupName"], sent["DesiredCapacity"], sent["HonorCooldown"]) == ("ci-linux", "24", "false")


async def test_what_was_accepted_and_not_delivered_is_told_with_the_reason(scaler: Scaler, api: AwsApi) -> None:
    api.delivers, api.failure = False, "Could not launch Spot Instances. InsufficientInstanceCapacity - no c5.2xlarge."
    await scaler.set(24, "act-1")
    found = await scaler.read()
    assert (found.current, found.desired, found.trouble) == (10, 24, api.failure)
    api.there = 24
    assert (await scaler.read()).trouble == "", "what came needs no reason"


async def test_an_old_failure_says_nothing_of_now(api: AwsApi, parts: BuildContext) -> None:
    api.failure, api.there = "Quota exceeded.", 3
    async with answering(api.endpoint) as url:
        later = replace(parts, now=lambda: 4_000_000_000.0)
        scaler, _ = build("linux", PLACE, {**TABLE, "endpoint_url": url}, later)
        assert (await scaler.read()).trouble == ""


@pytest.mark.parametrize(
    ("code", "trouble"),
    [("AccessDenied", "why is not known; allow autoscaling:DescribeScalingActivities to see it"), ("Throttling", "")],
)
async def test_activities_that_cannot_be_had_do_not_hide_the_size(
    scaler: Scaler, api: AwsApi, code: str, trouble: str
) -> None:
    """A missing permission is said where somebody looks for the reason."""
    api.faults["DescribeScalingActivities"], api.there = code, 7
    found = await scaler.read()
    assert (found.current, found.desired, found.trouble) == (7, 10, trouble)


@pytest.mark.parametrize(("there", "weight", "policy_weight"), [(10, "4", ""), (10, "1", "2"), (0, "", "4")])
async def test_weights_are_not_taken_for_runners(
    scaler: Scaler, api: AwsApi, there: int, weight: str, policy_weight: str
) -> None:
    """A capacity of 40 may then be ten instances; a group that is scaled to zero says so in its policy alone."""
    api.there, api.weight, api.policy_weight = there, weight, policy_weight
    with pytest.raises(Unreachable, match="counts weights, not instances") as caught:
        await scaler.read()
    assert caught.value.failure is Failure.SHAPE
    with pytest.raises(Unreachable, match="counts weights"):
        await scaler.set(20, "act-1")
    assert "SetDesiredCapacity" not in [action for action, _ in api.requests]


async def test_mixed_instances_that_each_count_for_one_are_runners(scaler: Scaler, api: AwsApi) -> None:
    api.weight = api.policy_weight = "1"
    await scaler.set(20, "act-1")
    assert (await scaler.read()).level == 20


@pytest.mark.parametrize(
    ("state", "target", "words"),
    [
        ({}, 41, rf"^linux is limited to 40 runners by MaxSize of {NAME}: AWS would scale nothing at all for 41\. "
                 r"Ask for less, or raise MaxSize there\.$"),
        ({"most": 20}, 24, "limited to 20 runners"),
        ({"minimum": 4}, 3, f"MinSize of {NAME} is 4; 3 is too few"),
        ({"suspended": "by Ana"}, 24, r"would start nothing: its process Launch is suspended \(by Ana\)"),
        ({"faults": {"SetDesiredCapacity": "AccessDenied"}}, 24, "not authorized.*allow autoscaling:SetDesired"),
        ({"faults": {"SetDesiredCapacity": "ValidationError"}}, 24, r"AWS refused SetDesiredCapacity \(Validation"),
    ],
)  # fmt: skip
async def test_what_cannot_be_set_is_refused_with_the_reason(
    scaler: Scaler, api: AwsApi, state: dict[str, Any], target: int, words: str
) -> None:
    """Limits as they are in this moment (elastic-ci-stack#734), a suspended Launch, and AWS's own words."""
    await scaler.read()
    for name, value in state.items():
        setattr(api, name, value)
    with pytest.raises(Refused, match=words):
        await scaler.set(target, "act-1")
    assert ("SetDesiredCapacity" in [action for action, _ in api.requests]) is ("faults" in state)


async def test_a_group_that_starts_nothing_may_still_be_lowered(scaler: Scaler, api: AwsApi) -> None:
    api.suspended = "User suspended at 10:00"
    assert "Launch is suspended (User suspended at 10:00)" in (await scaler.read()).trouble
    await scaler.set(5, "act-2")
    assert api.desired == 5
