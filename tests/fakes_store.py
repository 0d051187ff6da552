"""The store in memory, which can also be told to fail; its contract is `tests/adapters/test_store_contract.py`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from bot.adapters.memory.rows import MemoryData, MemoryRow
from bot.adapters.memory.store import MemoryStore
from bot.adapters.records import kind_name
from bot.core.record import AuditEntry, Change, Claim, Claims, Record, Stored
from bot.ports import Unreachable

R = TypeVar("R", bound=Record)


@dataclass(slots=True)
class FakeData(MemoryData):
    """What several FakeStores share, as processes share a server.

    Set `broken` to make every call fail; add a due key to `unreadable` to spoil its record.
    """

    unreadable: set[str] = field(default_factory=set)
    broken: Unreachable | None = None


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
        super().__init__(now, monotonic, data=self.fake, lease_seconds=lease_seconds)
        self.lost = False

    async def get(self, kind: type[R], record_id: str) -> Stored[R] | None:
        self._reached()
        return await super().get(kind, record_id)

    async def get_many(self, kind: type[R], ids: Sequence[str]) -> dict[str, Stored[R]]:
        readable = [name for name in ids if f"{kind_name(kind)}:{name}" not in self.fake.unreadable]
        return await super().get_many(kind, readable)

    async def find(self, index: str) -> str | None:
        self._reached()
        return await super().find(index)

    async def members(self, name: str) -> set[str]:
        self._reached()
        return await super().members(name)

    async def listed(self, name: str) -> tuple[str, ...]:
        self._reached()
        return await super().listed(name)

    async def done_by(self, mark: str) -> str | None:
        self._reached()
        return await super().done_by(mark)

    async def commit(self, change: Change) -> None:
        self._reached()
        await super().commit(change)

    async def claim(self, most: int) -> Claims:
        self._reached()
        return await super().claim(most)

    async def acquire_slot(self, rate_lane: str, who: str, interval: float, burst: int, *, urgent: bool) -> float:
        self._reached()
        return await super().acquire_slot(rate_lane, who, interval, burst, urgent=urgent)

    async def pause_lane(self, rate_lane: str, seconds: float) -> None:
        self._reached()
        await super().pause_lane(rate_lane, seconds)

    def lost_data(self) -> bool:
        return self.lost

    def accept_loss(self) -> None:
        self.lost = False

    async def audit_trail(self, after: str = "-", most: int = 1000) -> list[tuple[str, AuditEntry, str]]:
        self._reached()
        return await super().audit_trail(after, most)

    def _reached(self) -> None:
        if self.fake.broken is not None:
            raise self.fake.broken

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
