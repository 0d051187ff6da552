"""The scaler of a pool that only people can scale: it says how, and does nothing."""

from collections.abc import Mapping

from pydantic import Field

from bot.adapters.build_context import BuildContext, read
from bot.adapters.scalers.policy import PolicyTable
from bot.core.scaling.limits import ScalePolicy
from bot.ports import Capacity, Refused


class NoneTable(PolicyTable):
    max: int = Field(default=0, ge=0)
    how: str = ""
    """How a person scales this pool: one or two sentences, or an address."""


class NoScaler:
    """No scaler: the size is unknown, and every target is refused with instructions."""

    def __init__(self, pool: str, how: str) -> None:
        self._pool, self._how = pool, how

    async def read(self) -> Capacity:
        return Capacity(None)

    async def set(self, target: int, request_id: str) -> None:  # noqa: ARG002 - the port's signature
        by_hand = f" {self._how}" if self._how else " Nobody has written down how; add `how` to its scaler table."
        raise Refused(f"{self._pool} cannot be scaled from here; set {target:,} by hand.{by_hand}")


def build(pool: str, place: str, raw: Mapping[str, object], context: BuildContext) -> tuple[NoScaler, ScalePolicy]:  # noqa: ARG001 - every kind is built alike
    table = read(NoneTable, place, raw)
    return NoScaler(pool, table.how.strip()), table.policy
