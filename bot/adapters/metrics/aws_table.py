"""What the metrics sources on AWS share: settings of the region, and refusals that name the permission."""

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
