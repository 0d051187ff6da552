"""Counts runners where a back end counts machines with several runners each."""

from dataclasses import replace

from bot.core.external import Problem
from bot.ports import Capacity, Rehearsed, Scaler


class PerMachine:
    """The port `Scaler` for a back end of machines: targets, limits and sizes are runners."""

    def __init__(self, scaler: Scaler, runners: int) -> None:
        """`runners` are those of one machine."""
        self._scaler, self._runners = scaler, runners

    async def read(self) -> Capacity:
        found = await self._scaler.read()
        current, minimum, maximum, desired = map(self._of, (found.current, found.minimum, found.maximum, found.desired))
        return replace(found, current=current, minimum=minimum, maximum=maximum, desired=desired)

    def _of(self, machines: int | None) -> int | None:
        return None if machines is None else machines * self._runners

    async def set(self, target: int, request_id: str) -> str | None:
        """As many machines as the target needs: totals are asked for in whole machines (`ScalePolicy.whole`)."""
        return await self._scaler.set(-(-target // self._runners), request_id)

    async def lacking(self) -> tuple[Problem, ...] | None:
        """What the back end says of its permissions."""
        return await self._scaler.lacking() if isinstance(self._scaler, Rehearsed) else None
