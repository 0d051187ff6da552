"""The `aws_asg` scaler: the desired capacity of an EC2 Auto Scaling group with one runner per instance."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from pydantic import Field

from bot.adapters.aws import Aws, AwsRegion, aws_of, launch_stopped, other_unit
from bot.adapters.build_context import BuildContext, read
from bot.adapters.http.json_answer import one_line
from bot.adapters.scalers.policy import PolicyTable
from bot.core.scaling.limits import ScalePolicy
from bot.core.words import count
from bot.ports import Capacity, Failure, Refused, Unreachable

RECENT_SECONDS = 1800.0
"""A scaling activity that failed longer ago is irrelevant."""
FAILED = frozenset({"Failed", "Cancelled"})
CAUTION = "If the group has scaling policies of its own, they may set another size again."


class AwsAsgTable(PolicyTable, AwsRegion):
    group: str = Field(min_length=1)
    """The group's name."""


@dataclass(frozen=True, slots=True)
class AutoScalingGroup:
    desired: int
    minimum: int
    maximum: int
    there: int
    """Instances in service; starting, stopping and standby ones do not count."""
    stopped: str
    """Why the group starts no instances; empty if it does."""


class AwsAsgScaler:
    """DesiredCapacity of one group: an absolute number, so setting it twice does no harm.

    Above MaxSize AWS answers ValidationError and scales nothing (buildkite/elastic-ci-stack-for-aws#734), so MaxSize is
    read before every change and never exceeded.
    """

    def __init__(self, pool: str, table: AwsAsgTable, aws: Aws, context: BuildContext) -> None:
        self._pool, self._name, self._region = pool, table.group, table.region
        self._aws, self._now = aws, context.now
        self._system = f"Scaler of {pool}"

    async def read(self) -> Capacity:
        """The desired capacity, instances in service, limits, and why recent instances failed to start."""
        group, failure = await asyncio.gather(self._group(), self._last_failure())
        return Capacity(
            group.there,
            group.minimum,
            group.maximum,
            desired=group.desired,
            limited_by=f"MaxSize of Auto Scaling group {self._name}",
            trouble=group.stopped or (failure if group.there < group.desired else ""),
        )

    async def set(self, target: int, request_id: str) -> None:  # noqa: ARG002 - an absolute number needs no key
        """Set the desired capacity, ignoring the group's cooldown."""
        group = await self._group()
        if target > group.maximum:
            limit = f"limited to {count(group.maximum, 'runner')} by MaxSize of Auto Scaling group {self._name}"
            remedy = "Ask for less, or raise MaxSize there."
            raise Refused(f"{self._pool} is {limit}: AWS would scale nothing at all for {target:,}. {remedy}")
        if target < group.minimum:
            raise Refused(f"MinSize of Auto Scaling group {self._name} is {group.minimum:,}; {target:,} is too few.")
        if target > group.desired and group.stopped:
            raise Refused(f"Auto Scaling group {self._name} would start nothing: {group.stopped}. Fix that first.")
        if target != group.desired:
            changed = {"AutoScalingGroupName": self._name, "DesiredCapacity": target, "HonorCooldown": False}
            await self._aws.tell(self._system, "autoscaling", "set_desired_capacity", changed)

    async def _group(self) -> AutoScalingGroup:
        named = {"AutoScalingGroupNames": [self._name]}
        answer = await self._aws.read(self._system, "autoscaling", "describe_auto_scaling_groups", named)
        if not answer.get("AutoScalingGroups"):
            remedy = "correct `group` or `region`, or use the account that it is in"
            raise Refused(f"There is no Auto Scaling group {self._name} in {self._region}", remedy=remedy)
        found = answer["AutoScalingGroups"][0]
        if unit := other_unit(found):
            what = f"Auto Scaling group {self._name} counts {unit}, not instances"
            raise Unreachable(self._system, what, failure=Failure.SHAPE, remedy="use a group without weights")
        desired, minimum, maximum = (int(found[name]) for name in ("DesiredCapacity", "MinSize", "MaxSize"))
        there = sum(one.get("LifecycleState") == "InService" for one in found.get("Instances", []))
        return AutoScalingGroup(desired, minimum, maximum, there, launch_stopped(found))

    async def _last_failure(self) -> str:
        """The latest failed activity of the last half hour; empty if none, or if it cannot be read."""
        query = {"AutoScalingGroupName": self._name, "MaxRecords": 20}
        try:
            answer = await self._aws.read(self._system, "autoscaling", "describe_scaling_activities", query)
        except Refused:
            return "why is not known; allow autoscaling:DescribeScalingActivities to see it"
        except Unreachable:
            return ""
        for activity in answer.get("Activities", []):
            at = activity.get("StartTime")
            recent = isinstance(at, datetime) and self._now() - at.timestamp() <= RECENT_SECONDS
            if recent and activity.get("StatusCode") in FAILED:
                return one_line(str(activity.get("StatusMessage") or activity.get("Description", "")))
        return ""


def build(pool: str, place: str, raw: Mapping[str, object], context: BuildContext) -> tuple[AwsAsgScaler, ScalePolicy]:
    table = read(AwsAsgTable, place, raw)
    return AwsAsgScaler(pool, table, aws_of(context, table), context), replace(table.policy, caution=CAUTION)
