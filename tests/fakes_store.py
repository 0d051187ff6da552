"""The store in memory, which can also be told to fail; its contract is `tests/adapters/test_store_contract.py`."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, TypeVar

from bot.adapters.records import KINDS, kind_name
from bot.core.record import Claim, Record, Stored
from bot.playground.memory.rows import MemoryData, MemoryRow
from bot.playground.memory.store import MemoryStore
from bot.ports import Unreachable

R = TypeVar("R", bound=Record)


@dataclass(slots=True)
class FakeData(MemoryData):
    """What several FakeStores share, as processes share a server.

    Set `broken` to make every call fail; add a due key to `unreadable` to spoil its record.
    """

    unreadable: set[str] = field(default_factory=set)
    broken: Unreachable | None = None


NEEDS_SERVER = (
    "get",
    "find",
    "members",
    "listed",
    "done_by",
    "commit",
    "claim",
    "acquire_slot",
    "arrange",
    "pause_lane",
    "audit_trail",
)


class FakeStore(MemoryStore):
    """A MemoryStore whose server can be broken, whose records can be spoiled, and that can have `lost` data."""

    def __init__(
        self,
        now: Callable[[], float],
        monotonic: Callable[[], float],
        *,
        data: FakeData | None = None,
        lease_seconds: float = 10.0,
    ) -> None:
        self.fake = data or FakeData()
        super().__init__(now, monotonic, KINDS, data=self.fake, lease_seconds=lease_seconds)
        self.lost = False

    async def get_many(self, kind: type[R], ids: Sequence[str], *, newest: bool = False) -> dict[str, Stored[R]]:
        readable = [name for name in ids if f"{kind_name(kind)}:{name}" not in self.fake.unreadable]
        return await super().get_many(kind, readable)

    def lost_data(self) -> bool:
        return self.lost

    def accept_loss(self) -> None:
        self.lost = False

    def _row(self, member: str) -> MemoryRow | None:
        row = super()._row(member)
        if row is not None and member in self.fake.unreadable:
            raise Unreachable("Redis", f"{member} cannot be read")
        return row

    def _claimed(self, member: str, now: float) -> Claim | None:
        try:
            return super()._claimed(member, now)
        except Unreachable:
            self.data.due[member] = now + 60
            return None


def _reaching(name: str) -> Callable[..., Awaitable[object]]:
    """The method of a MemoryStore, which fails while the server is broken."""
    real = getattr(MemoryStore, name)

    @wraps(real)
    async def reached(self: FakeStore, *args: Any, **more: Any) -> object:
        if self.fake.broken is not None:
            raise self.fake.broken
        return await real(self, *args, **more)

    return reached


for _name in NEEDS_SERVER:
    setattr(FakeStore, _name, _reaching(_name))
