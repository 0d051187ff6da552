"""What the metrics sources on AWS share: settings, refusals that name the permission, and values of CloudWatch."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from bot.adapters.aws import AwsRegion, aws_of
from bot.adapters.source import Given, P
from bot.config import Seconds
from bot.ports import Failure, Refused, Unreachable


class AwsTable(AwsRegion):
    """Settings of `[metrics.NAME]` for a source on AWS."""

    kind: str
    every: Seconds = 60.0
    """Shortest time between two requests of the same kind; CloudWatch has new values once a minute."""


MOST_AT_ONCE = 500
"""CloudWatch answers so many metrics in one request."""
WHOLE = "Complete"
"""Status of a metric whose values are all there."""
Query = tuple[str, str, Mapping[str, str], str]
"""(namespace, name, dimensions, statistic) of one metric."""
Value = tuple[float, float]
"""(the end of the period that it is of (epoch seconds), the value)."""


class AwsReader:
    def __init__(self, system: str, given: Given[AwsTable, P]) -> None:
        self.system, self._aws = f"{system} ({given.name})", aws_of(given.context, given.table)

    async def read(self, service: str, operation: str, **arguments: object) -> Any:
        """One read. Raises Unreachable, with the missing permission as its remedy."""
        try:
            return await self._aws.read(self.system, service, operation, arguments)
        except Refused as refused:
            what = str(refused).removeprefix(f"{self.system}: ")
            denied = Failure.CREDENTIALS if refused.remedy else Failure.SHAPE
            raise Unreachable(self.system, what, remedy=refused.remedy, failure=denied) from None

    async def values(
        self, queries: Sequence[Query], now: float, window_seconds: float, period_seconds: int
    ) -> list[tuple[Value, ...] | None]:
        """The values of each metric in the window before `now` (epoch seconds), newest first.

        None where CloudWatch gave only a part of them. Raises Unreachable.
        """
        found, whole = [tuple[Value, ...]() for _ in queries], [True] * len(queries)
        start, end = (datetime.fromtimestamp(at, UTC) for at in (now - window_seconds, now))
        for first in range(0, len(queries), MOST_AT_ONCE):
            part = enumerate(queries[first : first + MOST_AT_ONCE], first)
            given: dict[str, object] = {"StartTime": start, "EndTime": end, "ScanBy": "TimestampDescending"}
            given["MetricDataQueries"] = [_numbered(number, one, period_seconds) for number, one in part]
            more = True
            while more:
                answer = await self.read("cloudwatch", "get_metric_data", **given)
                for row in answer.get("MetricDataResults", []):
                    number, times = int(row["Id"][1:]), row.get("Timestamps", [])
                    ends = (at.timestamp() + period_seconds for at in times)
                    found[number] = (*found[number], *zip(ends, map(float, row.get("Values", [])), strict=False))
                    whole[number] = row.get("StatusCode", WHOLE) == WHOLE
                if more := bool(answer.get("NextToken")):
                    given["NextToken"] = str(answer["NextToken"])
        return [values if complete else None for values, complete in zip(found, whole, strict=True)]


def _numbered(number: int, query: Query, period_seconds: int) -> dict[str, object]:
    namespace, name, dimensions, statistic = query
    given = [{"Name": key, "Value": value} for key, value in dimensions.items()]
    metric = {"Namespace": namespace, "MetricName": name, "Dimensions": given}
    return {"Id": f"m{number}", "MetricStat": {"Metric": metric, "Period": period_seconds, "Stat": statistic}}
