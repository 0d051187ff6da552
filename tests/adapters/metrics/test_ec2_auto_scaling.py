"""EC2 Auto Scaling: machines by state, failed launches by code, and a group that is not there.

The shapes are those of DescribeAutoScalingGroups and DescribeScalingActivities; the messages are AWS's own
("Troubleshoot Amazon EC2 Auto Scaling: EC2 instance launch failures").
"""

from datetime import UTC, datetime, timedelta

import pytest

from bot.core.pool.pool import Tally
from bot.ports import Unreachable
from tests.adapters.metrics.rig import Rig
from tests.adapters.metrics.test_launch_errors import MESSAGES
from tests.adapters.scalers.aws_api import AwsApi
from tests.builders import gaps
from tests.machines import POOL, diagnosed_with

NOW = datetime.now(UTC)
STOCKOUT = MESSAGES[0][1]
REGION = {"region": "us-east-1"}
RIG = Rig(
    "ec2_auto_scaling", lambda url: {**REGION, "endpoint_url": url}, {}, NOW.timestamp(), POOL, {"group": "ci-linux"}
)
look = RIG.look


async def test_machines_are_counted_by_state_and_launches_by_outcome() -> None:
    """A warm-up hook's `Pending:Wait` is still starting; activities that end instances are no launches."""
    states = {"InService": 10, "Pending": 1, "Pending:Wait": 2, "Terminating": 1}
    api = AwsApi(states=states, launches=[STOCKOUT, STOCKOUT, "", "Request limit exceeded."], ended=3)
    found = await look(api)
    assert (found.machines, found.booting, found.limit) == (10, 3, 40)
    assert (found.creates, found.create_failures) == (1, 3)
    assert found.create_failures_by_code == (
        Tally("InsufficientInstanceCapacity", 2.0),
        Tally("RequestLimitExceeded", 1.0),
    )


DETAILS = """{"Subnet ID":"subnet-1","Availability Zone":"us-east-1a","InvokingAlarms":[{"AlarmName":"TargetTracking",
"Trigger":{"MetricName":"CPUUtilization","EvaluateLowSampleCountPercentile":""}}]}"""
"""As AWS's notifications and its guide "Verify a scaling activity" show it."""


async def test_activities_tell_the_zone_of_what_failed_and_the_alarm_that_began_them() -> None:
    """An alarm of hours ago tells what the group looks at as well as one of now."""
    found = await look(AwsApi(launches=[STOCKOUT, STOCKOUT, ""], details=DETAILS))
    assert found.failures_by_mark == (Tally("zone us-east-1a", 2.0),)
    assert found.scales_on == "CPUUtilization"
    old = await look(AwsApi(launches=[STOCKOUT], details=DETAILS, launched_at=NOW - timedelta(hours=1)))
    assert (old.failures_by_mark, old.scales_on) == ((), "CPUUtilization")
    none = await look(AwsApi(launches=[STOCKOUT], details="no JSON"))
    assert (none.create_failures, none.failures_by_mark, none.scales_on) == (1, (), None)


async def test_with_several_runners_on_a_machine_what_is_compared_with_runners_counts_them() -> None:
    """Agents of Buildkite's elastic stack: the limit, what boots and what was created; machines stay machines."""
    api = AwsApi(states={"InService": 3, "Pending": 1}, launches=[STOCKOUT, STOCKOUT, ""], details=DETAILS)
    found = await look(api, keys={"group": "ci-linux", "runners_per_machine": 4})
    assert (found.machines, found.booting, found.limit) == (3, 4, 160)
    assert (found.creates, found.create_failures) == (4, 8)
    assert found.create_failures_by_code == (Tally("InsufficientInstanceCapacity", 8.0),)
    assert found.failures_by_mark == (Tally("zone us-east-1a", 8.0),)


async def test_machines_of_four_runners_that_are_mostly_refused_are_mostly_refused() -> None:
    """One of three came: four of twelve runners, not four beside two."""
    keys = {"group": "ci-linux", "runners_per_machine": 4}
    async with RIG.source(AwsApi(launches=[STOCKOUT, STOCKOUT, ""]), {POOL: keys}) as found:
        first = (await diagnosed_with(found, NOW.timestamp())).findings[0]
    assert (first.cause, first.sureness) == ("stockout", "high")


async def test_what_happened_before_the_window_does_not_count() -> None:
    found = await look(AwsApi(launches=[STOCKOUT], launched_at=NOW - timedelta(hours=1)))
    assert (found.creates, found.create_failures, found.create_failures_by_code) == (0, 0, ())


async def test_activities_are_read_to_the_end_of_the_window() -> None:
    assert (await look(AwsApi(launches=[STOCKOUT] * 250))).create_failures == 250


async def test_more_activities_than_are_read_leave_the_number_unknown() -> None:
    found = await look(AwsApi(launches=[STOCKOUT] * 600))
    assert (found.machines, found.create_failures) == (10, None)
    assert "more than 500 activities in 15 min" in gaps(found)[0]


async def test_a_cause_is_found_when_launches_fail() -> None:
    """End to end: AWS's answer, figures, merge with the queue, rules; `test_launch_errors.py` has every message."""
    async with RIG.source(AwsApi(launches=[STOCKOUT] * 9)) as found:
        assert (await diagnosed_with(found, NOW.timestamp())).findings[0].cause == "stockout"


async def test_a_group_that_is_not_there_is_named() -> None:
    with pytest.raises(Unreachable, match="there is no group ci-linux") as caught:
        await look(AwsApi(group="another"))
    assert caught.value.remedy.startswith("correct group or region")
