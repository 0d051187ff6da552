"""EC2 Auto Scaling: machines by state, failed launches by code, and every refusal by name.

The shapes are those of DescribeAutoScalingGroups and DescribeScalingActivities; the messages are AWS's own
("Troubleshoot Amazon EC2 Auto Scaling: EC2 instance launch failures").
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

import pytest

from bot.adapters.metrics.ec2_auto_scaling import Ec2AutoScaling, build
from bot.core.pool.pool import Counted, Snapshot
from bot.ports import Unreachable
from tests.adapters.back_end import parts_with, patient_pool
from tests.adapters.metrics.test_launch_errors import MESSAGES
from tests.adapters.scalers.aws_api import MADE_UP, AwsApi, serving_aws
from tests.builders import gaps
from tests.machines import POOL, diagnosed_with

NOW = datetime.now(UTC)
STOCKOUT = MESSAGES[0][1]


@pytest.fixture(autouse=True)
def aws_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in MADE_UP.items():
        monkeypatch.setenv(name, value)


@asynccontextmanager
async def source(api: AwsApi) -> AsyncIterator[Ec2AutoScaling]:
    async with serving_aws(api) as url, patient_pool() as wire:
        raw = {"kind": "ec2_auto_scaling", "region": "us-east-1", "endpoint_url": url}
        yield build("asg", "[metrics.asg]", raw, {POOL: {"group": "ci-linux"}}, parts_with(wire, {}, NOW.timestamp()))


async def look(api: AwsApi) -> Snapshot:
    async with source(api) as found:
        return await found.snapshot(POOL)


async def test_machines_are_counted_by_state_and_launches_by_outcome() -> None:
    """A warm-up hook's `Pending:Wait` is still starting; activities that end instances are no launches."""
    states = {"InService": 10, "Pending": 1, "Pending:Wait": 2, "Terminating": 1}
    api = AwsApi(states=states, launches=[STOCKOUT, STOCKOUT, "", "Request limit exceeded."], ended=3)
    found = await look(api)
    assert (found.machines, found.booting, found.terminating, found.limit) == (10, 3, 1, 40)
    assert (found.creates, found.create_failures) == (1, 3)
    assert found.create_failures_by_code == (
        Counted("InsufficientInstanceCapacity", 2.0),
        Counted("RequestLimitExceeded", 1.0),
    )


async def test_what_happened_before_the_window_does_not_count() -> None:
    found = await look(AwsApi(launches=[STOCKOUT], launched_at=NOW - timedelta(hours=1)))
    assert (found.creates, found.create_failures, found.create_failures_by_code) == (0, 0, ())


async def test_activities_are_read_to_the_end_of_the_window() -> None:
    assert (await look(AwsApi(launches=[STOCKOUT] * 250))).create_failures == 250


async def test_more_activities_than_are_read_leave_the_number_unknown() -> None:
    found = await look(AwsApi(launches=[STOCKOUT] * 600))
    assert (found.machines, found.create_failures) == (10, None)
    assert "more than 500 activities in 15 min" in gaps(found)[0]


@pytest.mark.parametrize(("cause", "message"), [one for one in MESSAGES if "LaunchTemplate" not in one[1]])
async def test_a_cause_is_found_when_launches_fail(cause: str, message: str) -> None:
    """End to end: AWS's answer, figures, merge with the queue, rules."""
    async with source(AwsApi(launches=[message or "x"] * 9)) as found:
        assert (await diagnosed_with(found, NOW.timestamp())).findings[0].cause == cause


async def test_a_refused_group_is_named_and_refused_activities_cost_only_their_figures() -> None:
    with pytest.raises(Unreachable) as caught:
        await look(AwsApi(faults={"DescribeAutoScalingGroups": "AccessDenied"}))
    assert caught.value.remedy == "allow autoscaling:DescribeAutoScalingGroups to Tailback's role"
    found = await look(AwsApi(faults={"DescribeScalingActivities": "AccessDenied"}))
    assert (found.machines, found.create_failures) == (10, None)
    assert gaps(found)[1].endswith("allow autoscaling:DescribeScalingActivities to Tailback's role")


@pytest.mark.parametrize(
    ("fault", "said"), [("Throttling", "AWS asks to wait"), ("500", "AWS failed"), ("silent", "AWS")]
)
async def test_a_failing_aws_is_a_problem_and_no_zero(fault: str, said: str) -> None:
    with pytest.raises(Unreachable, match=said):
        await look(AwsApi(faults={"DescribeAutoScalingGroups": fault}))


async def test_a_group_that_is_not_there_is_named() -> None:
    with pytest.raises(Unreachable, match="there is no group ci-linux") as caught:
        await look(AwsApi(group="another"))
    assert caught.value.remedy.startswith("correct group or region")
