"""EC2 Auto Scaling as a metrics source: machines of a group by state, and launches that failed, by code."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

from pydantic import Field

from bot.adapters.aws import launch_stopped, other_unit
from bot.adapters.http.rows import Row, inner, rows, text
from bot.adapters.metrics.aws_table import AwsReader, AwsTable
from bot.adapters.metrics.launch_errors import WINDOW_SECONDS, code_of, tallies
from bot.adapters.source import Given, Listed, Listing, Present, SourceKind, tried
from bot.config import Table
from bot.core.pool.pool import Gap, Snapshot
from bot.ports import Failure, Unreachable
from bot.sources.payload import fields

MOST_PAGES = 5
FAILED = frozenset({"Failed", "Cancelled"})
ZONE = "Availability Zone"
LAUNCH = "Launching"
"""How descriptions of activities that start an instance begin."""
KEPT_READY = "into warm pool"
"""What they say of an instance that is made ready only: it is launched once more when it is needed."""
OF_RUNNERS = frozenset({"booting", "limit", "creates", "create_failures"})
OF_RUNNERS_BY_NAME = frozenset({"create_failures_by_code", "failures_by_mark"})
"""Figures of runners: AWS counts machines, so that each stands for as many runners as share one."""
STATES = {"machines": "InService", "booting": "Pending"}
"""Figure: the life-cycle state that it counts, with its variants such as `Pending:Wait`."""


LAUNCH_SUSPENDED, GROUP_DELETED = "LaunchSuspended", "GroupBeingDeleted"
"""The codes of a machine that the group should have and may not start; AWS writes no activity for it."""
Counted = tuple[dict[str, Any], list[str]]
"""Figures, and a code for each launch that failed."""
Group = tuple[dict[str, Any], list[str], tuple[Gap, ...]]
"""The same of a group as it is, and what is unknown of it."""


class Ec2AutoScalingPool(Table):
    group: str = Field(min_length=1)
    """The name of the pool's Auto Scaling group."""
    runners_per_machine: int = Field(default=1, ge=1)
    """Runners on one instance, from the pool's own setting."""


class Ec2AutoScaling(Present):
    """The port `Metrics`. It knows machines and not jobs, so a pool needs another source for its queue."""

    def __init__(self, given: Given[AwsTable, Ec2AutoScalingPool]) -> None:
        self._aws, every = AwsReader("EC2 Auto Scaling", given), given.table.every
        self._groups = {pool: keys.group for pool, keys in given.pools.items()}
        self._each = {pool: keys.runners_per_machine for pool, keys in given.pools.items()}
        self._found = {
            name: Listing(partial(self._ask_group, name), given.now, every) for name in {*self._groups.values()}
        }
        self._launches = {name: Listing(partial(self._ask_launches, name), given.now, every) for name in self._found}

    async def snapshot(self, pool: str) -> Snapshot:
        """The group now; without its activities, failed launches are unknown. Raises Unreachable without the group."""
        name = self._groups[pool]
        group, launches = await asyncio.gather(self._found[name].get(), tried(self._launches[name]))
        figures, withheld, unknown = group.value
        if isinstance(launches, Unreachable):
            gaps = tuple(Gap(one, launches.what, launches.remedy) for one in ("creates", "create_failures"))
            return Snapshot(pool, group.at, missing=(*unknown, *gaps), **_in_runners(figures, self._each[pool]))
        launched, failed = launches.value
        codes = [*failed, *withheld]
        failures = {"create_failures": len(codes), "create_failures_by_code": tallies(codes)}
        whole = {**figures, **launched, **failures}
        return Snapshot(pool, min(group.at, launches.at), missing=unknown, **_in_runners(whole, self._each[pool]))

    async def _ask_group(self, name: str, now: float) -> Listed[Group]:
        """Its figures, and the code of each machine that it should have and may not start."""
        answer = await self._aws.read("autoscaling", "describe_auto_scaling_groups", AutoScalingGroupNames=[name])
        if not answer.get("AutoScalingGroups"):
            remedy = "correct group or region, or use the account that it is in"
            raise Unreachable(self._aws.system, f"there is no group {name}", remedy=remedy, failure=Failure.SHAPE)
        group = answer["AutoScalingGroups"][0]
        states = [str(one.get("LifecycleState", "")).partition(":")[0] for one in group.get("Instances", [])]
        found = {figure: states.count(state) for figure, state in STATES.items()}
        if unit := other_unit(group):
            gap = Gap("limit", f"MaxSize of {name} counts {unit}, not instances", "use a group without weights")
            return Listed((found, [], (gap,)), now)
        lacking = int(group["DesiredCapacity"]) - found["machines"] - found["booting"]
        code = GROUP_DELETED if group.get("Status") else LAUNCH_SUSPENDED
        withheld = [code] * lacking if launch_stopped(group) else []
        return Listed(({**found, "limit": int(group["MaxSize"])}, withheld, ()), now)

    async def _ask_launches(self, name: str, now: float) -> Listed[Counted]:
        """Figures and codes of launches that ended in the window; unknown if they fill more than the pages read."""
        made, failed, zones, more = 0, list[str](), list[str](), dict[str, str]()
        scales_on: str | None = None
        for _ in range(MOST_PAGES):
            answer = await self._aws.read(
                "autoscaling", "describe_scaling_activities", AutoScalingGroupName=name, MaxRecords=100, **more
            )
            rows = answer.get("Activities", [])
            for row in rows:
                scales_on = scales_on or _alarm(row)
                if not _recent(row, now) or not str(row.get("Description", "")).startswith(LAUNCH):
                    continue
                made += row.get("StatusCode") == "Successful" and KEPT_READY not in str(row["Description"])
                if row.get("StatusCode") in FAILED:
                    failed.append(code_of(str(row.get("StatusMessage", ""))))
                    zones.append(f"zone {zone}" if (zone := text(_details(row), ZONE)) else "")
            more = {"NextToken": str(answer["NextToken"])} if answer.get("NextToken") else {}
            if not more or not any(_recent(row, now) for row in rows):
                marks = tallies(filter(None, zones))
                return Listed(({"failures_by_mark": marks, "creates": made, "scales_on": scales_on}, failed), now)
        what = f"{name} has more than {MOST_PAGES * 100:,} activities in 15 min, too many to read"
        raise Unreachable(self._aws.system, what, failure=Failure.SHAPE)


def _in_runners(figures: Mapping[str, Any], each: int) -> dict[str, Any]:
    """The same in the units of `Snapshot`, with `each` runners on a machine."""
    counts = {name: value * each for name, value in figures.items() if name in OF_RUNNERS}
    by_name = {
        name: tuple(replace(one, number=one.number * each) for one in value)
        for name, value in figures.items()
        if name in OF_RUNNERS_BY_NAME
    }
    return {**figures, **counts, **by_name}


def _recent(row: Mapping[str, Any], now: float) -> bool:
    at = row.get("EndTime") or row.get("StartTime")
    return isinstance(at, datetime) and now - at.timestamp() <= WINDOW_SECONDS


def _details(row: Mapping[str, Any]) -> Row:
    """What an activity says in JSON: zone, subnet, and the alarms that began it."""
    try:
        return fields(json.loads(str(row.get("Details") or "{}")))
    except ValueError:
        return {}


def _alarm(row: Mapping[str, Any]) -> str | None:
    """The metric of the alarm that began an activity."""
    alarms = rows(_details(row).get("InvokingAlarms"))
    return next((name for one in alarms if (name := text(inner(one, "Trigger"), "MetricName"))), None)


FIGURES = (
    *STATES, "limit", "creates", "create_failures", "create_failures_by_code", "failures_by_mark", "scales_on",
)  # fmt: skip
build = SourceKind(AwsTable, Ec2AutoScalingPool, lambda *_: FIGURES, Ec2AutoScaling)
