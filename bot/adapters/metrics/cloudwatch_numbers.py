"""Numbers of CloudWatch for signals: one metric by its name, or the machines whose metric is over a limit."""

import asyncio
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass

from bot.adapters.metrics.aws_table import AwsReader
from bot.adapters.prometheus.answers import Unknown
from bot.adapters.signals.ask import Answers, Number, SignalQuery
from bot.ports import Unreachable

WINDOW_SECONDS, PERIOD_SECONDS = 900.0, 300
"""EC2's own metrics come every five minutes, and some minutes late."""
MOST_MACHINES = 500
MOST_PAGES = 10
GROUP, EC2 = "AutoScalingGroupName", "AWS/EC2"
NO_DISKS = frozenset({"tmpfs", "devtmpfs", "overlay", "squashfs", "ramfs", "iso9660"})
LANGUAGE = re.compile(
    r"(?P<namespace>\S+)\s+(?P<name>\S+)(?P<dimensions>(?:\s+[^\s=]+=\S+)*)"
    r"(?:\s+(?P<stat>Average|Sum|Minimum|Maximum))?"
    r"(?:\s+by\s+(?P<by>\S+)\s+(?P<side>[<>])\s*(?P<limit>-?\d+(?:\.\d+)?))?"
)
FORM = "write NAMESPACE NAME DIMENSION=VALUE Average, and to count machines: by InstanceId > 95"


@dataclass(frozen=True, slots=True)
class _Metric:
    namespace: str
    name: str
    dimensions: Mapping[str, str]
    stat: str
    by: str
    over: bool
    limit: float

    def bad(self, value: float) -> bool:
        """Whether a machine with this value is in trouble."""
        return value > self.limit if self.over else value < self.limit


Dimensions = Mapping[str, str]


class CloudwatchNumbers:
    def __init__(self, aws: AwsReader, every_seconds: float) -> None:
        """CloudWatch is paid by the metric, so an answer is kept for `every_seconds`."""
        self._aws, self._every = aws, every_seconds
        self._kept: dict[str, Number] = {}

    async def numbers(self, questions: Mapping[str, SignalQuery], now: float) -> Answers:
        """The answer to each question; never raises."""
        found = await asyncio.gather(*(self._kept_or_new(one.query, now) for one in questions.values()))
        return dict(zip(questions, found, strict=True))

    async def _kept_or_new(self, query: str, now: float) -> Number | Unknown | Unreachable:
        kept = self._kept.get(query)
        if kept is not None and 0 <= now - kept.at < self._every:
            return kept
        found = await self._number(query, now)
        if isinstance(found, Number):
            self._kept[query] = found
        return found

    async def _number(self, query: str, now: float) -> Number | Unknown | Unreachable:
        read = LANGUAGE.fullmatch(query.strip())
        if read is None:
            return Unknown("is no query of a metric", FORM)
        dimensions = dict(one.split("=", 1) for one in (read["dimensions"] or "").split())
        metric = _Metric(
            read["namespace"], read["name"], dimensions, read["stat"] or "Average", read["by"] or "",
            read["side"] == ">", float(read["limit"] or 0),
        )  # fmt: skip
        try:
            return await (self._machines(metric, now) if metric.by else self._one(metric, now))
        except Unreachable as problem:
            return problem
        except Unknown as problem:
            return problem.with_traceback(None)

    async def _one(self, metric: _Metric, now: float) -> Number:
        (value,) = await self._values(metric, [metric.dimensions], now)
        if value is None:
            raise Unknown(f"CloudWatch has no data of {metric.namespace} {metric.name}")
        return Number(value, None, now)

    async def _machines(self, metric: _Metric, now: float) -> Number:
        series = await self._series(metric)
        values = await self._values(metric, series, now)
        machines: dict[str, list[bool]] = {}
        for dimensions, value in zip(series, values, strict=True):
            if value is not None:
                machines.setdefault(dimensions[metric.by], []).append(metric.bad(value))
        if not machines:
            raise Unknown(f"CloudWatch has no data of {metric.namespace} {metric.name} for these machines")
        return Number(float(sum(map(any, machines.values()))), len(machines), now)

    async def _series(self, metric: _Metric) -> list[Dimensions]:
        """The dimensions of each metric of these machines; EC2 has its own under the instance alone."""
        group = metric.dimensions.get(GROUP)
        there = await self._instances(group) if group else None
        if there is not None and metric.namespace == EC2:
            found: list[Dimensions] = [{metric.by: instance} for instance in sorted(there)]
        else:
            listed = [one async for one in self._listed(metric)]
            found = [one for one in listed if there is None or one[metric.by] in there]
        if len({one[metric.by] for one in found}) > MOST_MACHINES:
            raise Unknown(f"has more than {MOST_MACHINES} machines, too many to read")
        return found

    async def _instances(self, group: str) -> frozenset[str]:
        """The instances of the group that are in service: CloudWatch lists those that are gone for two weeks."""
        answer = await self._aws.read("autoscaling", "describe_auto_scaling_groups", AutoScalingGroupNames=[group])
        if not answer.get("AutoScalingGroups"):
            raise Unknown(f"there is no group {group}", "correct machine_match, or the region of the source")
        rows = answer["AutoScalingGroups"][0].get("Instances", [])
        return frozenset(str(one["InstanceId"]) for one in rows if one.get("LifecycleState") == "InService")

    async def _listed(self, metric: _Metric) -> AsyncIterator[Dimensions]:
        known = [{"Name": name, "Value": value} for name, value in metric.dimensions.items()]
        more: dict[str, str] = {}
        for _ in range(MOST_PAGES):
            answer = await self._aws.read(
                "cloudwatch", "list_metrics", Namespace=metric.namespace, MetricName=metric.name, Dimensions=known,
                RecentlyActive="PT3H", **more,
            )  # fmt: skip
            for row in answer.get("Metrics", []):
                dimensions = {str(one["Name"]): str(one["Value"]) for one in row.get("Dimensions", [])}
                if metric.by in dimensions and dimensions.get("fstype") not in NO_DISKS:
                    yield dimensions
            if not answer.get("NextToken"):
                return
            more = {"NextToken": str(answer["NextToken"])}
        raise Unknown(f"CloudWatch lists too many metrics {metric.namespace} {metric.name} to read")

    async def _values(self, metric: _Metric, series: Sequence[Dimensions], now: float) -> list[float | None]:
        """The newest value of each; None without one in the window."""
        queries = [(metric.namespace, metric.name, one, metric.stat) for one in series]
        found = await self._aws.values(queries, now, WINDOW_SECONDS, PERIOD_SECONDS)
        if any(values is None for values in found):
            raise Unknown("CloudWatch gave only a part of its data")
        return [values[0][1] if values else None for values in found]
