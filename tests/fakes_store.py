"""A store in memory that keeps the same contract as the one on Redis (`tests/adapters/test_store_contract.py`)."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from bot.core.action import Act
from bot.core.chore import Chore
from bot.core.incident import Incident
from bot.core.job import WorkflowJob
from bot.core.lease import Lease
from bot.core.past import Past
from bot.core.picture import Sketch
from bot.core.pool import Pool
from bot.core.record import AlreadyDone, AuditEntry, Change, Claim, Claims, Conflict, Digest, Held, Notice, Put, Record
from bot.core.trail import canonical, chained
from bot.core.weekly import Weekly
from bot.ports import Unreachable

R = TypeVar("R", bound=Record)
NAMES: dict[type[object], str] = {
    Incident: "inc",
    Pool: "pool",
    Act: "act",
    Digest: "digest",
    Lease: "lease",
    Chore: "chore",
    Past: "past",
    Sketch: "sketch",
    WorkflowJob: "job",
    Weekly: "weekly",
    Notice: "early",
}
DAY = 86400.0


@dataclass(slots=True)
class Row:
    """One record with its lease; times in epoch seconds."""

    value: Record | None = None
    version: int = 0
    fence: int | None = None
    claimed_until: float = 0.0
    open_claim: float | None = None
    again: bool = False
    expires: float = float("inf")


@dataclass(slots=True)
class Lane:
    """One paced lane; times in epoch seconds, bookings before `shift` is added."""

    tat: float = 0.0
    tail: float | None = None
    not_before: float = 0.0
    shift: float = 0.0
    bookings: dict[str, float] = field(default_factory=dict)


@dataclass(slots=True)
class FakeData:
    """What several FakeStores share, as processes share a server.

    Set `broken` to make every call fail; add a due key to `unreadable` to spoil its record.
    """

    rows: dict[str, Row] = field(default_factory=dict)
    due: dict[str, float] = field(default_factory=dict)
    indexes: dict[str, str] = field(default_factory=dict)
    sets: dict[str, set[str]] = field(default_factory=dict)
    lists: dict[str, dict[str, float]] = field(default_factory=dict)
    """List → member → when it leaves."""
    marks: dict[str, tuple[str, float]] = field(default_factory=dict)
    trail: list[tuple[str, AuditEntry, str]] = field(default_factory=list)
    lanes: dict[str, Lane] = field(default_factory=dict)
    unreadable: set[str] = field(default_factory=set)
    listeners: list[asyncio.Event] = field(default_factory=list)
    broken: Unreachable | None = None
    fence: int = 0
    commits: int = 0


def _place(stream_id: str) -> tuple[int, int]:
    """The order of stream ids: milliseconds, then a number."""
    at, _, number = stream_id.partition("-")
    return int(at), int(number or 0)


class FakeStore:
    """Implements `bot.ports.Store` without a server; several with one FakeData are several processes."""

    def __init__(
        self,
        now: Callable[[], float],
        monotonic: Callable[[], float],
        *,
        data: FakeData | None = None,
        lease_seconds: float = 10.0,
    ) -> None:
        self.data = data or FakeData()
        self._now = now
        self._monotonic = monotonic
        self._lease = lease_seconds
        self.lost = False
        self._woken = asyncio.Event()
        self.data.listeners.append(self._woken)

    async def get(self, kind: type[R], record_id: str) -> Held[R] | None:
        self._reached()
        row = self._row(f"{NAMES[kind]}:{record_id}")
        return Held(row.value, row.version) if row is not None and isinstance(row.value, kind) else None

    async def get_many(self, kind: type[R], ids: Sequence[str]) -> dict[str, Held[R]]:
        readable = [name for name in ids if f"{NAMES[kind]}:{name}" not in self.data.unreadable]
        found = {record_id: await self.get(kind, record_id) for record_id in readable}
        return {record_id: held for record_id, held in found.items() if held is not None}

    async def find(self, index: str) -> str | None:
        self._reached()
        return self.data.indexes.get(index)

    async def open_under(self, index: str, mark: str) -> tuple[bool, Held[Incident] | None]:
        seen = await self.done_by(mark) is not None
        return seen, await self.get(Incident, self.data.indexes.get(index, ""))

    async def members(self, name: str) -> set[str]:
        self._reached()
        return set(self.data.sets.get(name, ()))

    async def listed(self, name: str) -> tuple[str, ...]:
        self._reached()
        found = self.data.lists.get(name, {})
        return tuple(sorted((one for one in found if found[one] > self._now()), key=lambda one: (found[one], one)))

    async def done_by(self, mark: str) -> str | None:
        self._reached()
        by, until = self.data.marks.get(mark, ("", 0.0))
        return by if until > self._now() else None

    async def commit(self, change: Change) -> None:
        self._reached()
        for mark in change.once:
            if (by := await self.done_by(mark)) is not None:
                raise AlreadyDone(by)
        self._check(change)
        now = self._now()
        earliest = min(self.data.due.values(), default=float("inf"))
        before = dict(self.data.due)
        for mark in change.once:
            self.data.marks[mark] = (change.once_value, now + DAY)
        for put in change.puts:
            self._put(put, now)
        for index, (points_to, _) in change.point.items():
            self.data.indexes[index] = points_to
            if not points_to:
                del self.data.indexes[index]
        self._gather(change, now)
        for member in change.wake:
            self._look_sooner(member, now, now)
        for entry in change.audit:
            head = self.data.trail[-1][2] if self.data.trail else ""
            stream_id = f"{now * 1000:.0f}-{len(self.data.trail)}"
            self.data.trail.append((stream_id, entry, chained(head, canonical(entry))))
        self.data.commits += 1
        fresh = [at for member, at in self.data.due.items() if before.get(member) != at]
        if any(at <= now or at < earliest for at in fresh):
            for listener in self.data.listeners:
                listener.set()

    async def claim(self, most: int) -> Claims:
        self._reached()
        now = self._now()
        claims: list[Claim] = []
        ready = sorted((at, member) for member, at in self.data.due.items() if at <= now)
        for _, member in ready[:most]:
            if (claim := self._claimed(member, now)) is not None:
                claims.append(claim)
        soonest = min(self.data.due.values(), default=None)
        return Claims(tuple(claims), None if soonest is None else max(0.0, soonest - now))

    async def pace(self, lane: str, who: str, interval_seconds: float, burst: int, *, urgent: bool) -> float:
        self._reached()
        now, kept = self._now(), self.data.lanes.setdefault(lane, Lane())
        tail = None if kept.tail is None else kept.tail + kept.shift
        slot = None if who not in kept.bookings else kept.bookings[who] + kept.shift
        free = max(kept.not_before, kept.tat - (burst - 1) * interval_seconds)
        mine = slot <= now if slot is not None else tail is None or tail <= now
        if interval_seconds <= 0:
            return max(0.0, kept.not_before - now)
        if free <= now and (urgent or mine):
            kept.bookings.pop(who, None)
            if tail is None or tail <= now:
                kept.tail, kept.shift, kept.bookings = None, 0.0, {}
            elif slot is None:
                kept.shift += interval_seconds
            elif now - slot <= interval_seconds:
                kept.shift += max(0.0, now - slot)
            kept.tat = max(kept.tat, now) + interval_seconds
            return 0.0
        if urgent:
            return max(0.001, free - now)
        if slot is None:
            slot = max(0.0 if tail is None else tail + interval_seconds, now, free)
            kept.tail = kept.bookings[who] = slot - kept.shift
        return max(0.001, max(slot, free) - now)

    async def hold_lane(self, lane: str, seconds: float) -> None:
        self._reached()
        now, kept = self._now(), self.data.lanes.setdefault(lane, Lane())
        until, before = now + seconds, max(now, kept.not_before, kept.tat)
        kept.not_before = max(kept.not_before, until)
        if kept.tail is not None and kept.tail + kept.shift > now:
            kept.shift += max(0.0, until - before)

    async def woken(self, timeout_seconds: float) -> bool:
        try:
            async with asyncio.timeout(timeout_seconds):
                await self._woken.wait()
        except TimeoutError:
            return False
        self._woken.clear()
        return True

    def lost_data(self) -> bool:
        return self.lost

    def accept_loss(self) -> None:
        self.lost = False

    async def audit_trail(self, after: str = "-", most: int = 1000) -> list[tuple[str, AuditEntry, str]]:
        self._reached()
        later = [row for row in self.data.trail if after == "-" or _place(row[0]) > _place(after)]
        return later[:most]

    async def aclose(self) -> None:
        self.data.listeners.remove(self._woken)

    def _reached(self) -> None:
        if self.data.broken is not None:
            raise self.data.broken

    def _row(self, member: str) -> Row | None:
        row = self.data.rows.get(member)
        if row is not None and row.expires <= self._now():
            row = self.data.rows.pop(member) and None
        if row is not None and member in self.data.unreadable:
            raise Unreachable("Redis", f"{member} cannot be read")
        return row

    def _check(self, change: Change) -> None:
        for put in change.puts:
            member = f"{NAMES[type(put.value)]}:{put.value.id}"
            row = self._row(member) or Row()
            if row.version != put.held.version:
                raise Conflict(f"{member} changed")
            if put.held.fence is not None and row.fence != put.held.fence:
                raise Conflict(f"{member} is claimed by somebody else")
        for index, (_, expected) in change.point.items():
            points_to = self.data.indexes.get(index)
            a_thread = (points_to or "").startswith("@")
            forgotten = not a_thread and all(self._row(f"{name}:{points_to}") is None for name in NAMES.values())
            if points_to != expected and not (expected is None and forgotten):
                raise Conflict("an index points elsewhere")

    def _gather(self, change: Change, now: float) -> None:
        """Sets and lists."""
        for name, member in change.join:
            self.data.sets.setdefault(name, set()).add(member)
        for name, member in change.leave:
            self.data.sets.get(name, set()).discard(member)
        for name, member, seconds in change.listed:
            kept = {one: until for one, until in self.data.lists.get(name, {}).items() if until > now}
            self.data.lists[name] = {**kept, member: now + seconds}

    def _put(self, put: Put, now: float) -> None:
        member = f"{NAMES[type(put.value)]}:{put.value.id}"
        row = self.data.rows.setdefault(member, Row())
        row.value, row.version = put.value, row.version + 1
        row.expires = float("inf") if put.keep_seconds is None else now + put.keep_seconds
        if put.held.fence is not None:
            self._put_fenced(put, member, row, now)
        elif row.claimed_until > now:
            row.again = True
        elif put.due is None:
            self.data.due.pop(member, None)
        else:
            self._look_sooner(member, put.due, now)

    def _put_fenced(self, put: Put, member: str, row: Row, now: float) -> None:
        if not put.release:
            row.claimed_until = self.data.due[member] = now + self._lease
            row.open_claim = now
            return
        if not put.uncertain:
            row.open_claim = None
        elif put.held.unsettled is not None:
            row.open_claim = put.held.unsettled
        due = now if row.again else put.due
        row.fence, row.claimed_until, row.again = None, 0.0, False
        if due is None:
            self.data.due.pop(member, None)
        else:
            self.data.due[member] = due

    def _look_sooner(self, member: str, at: float, now: float) -> None:
        row = self.data.rows.get(member)
        if row is not None and row.claimed_until > now:
            row.again = True
        else:
            self.data.due[member] = min(at, self.data.due.get(member, at))

    def _claimed(self, member: str, now: float) -> Claim | None:
        kind, _, record_id = member.partition(":")
        try:
            row = self._row(member)
        except Unreachable:
            self.data.due[member] = now + 60
            return None
        if (row is None or row.value is None) and kind in {"inc", "act"}:
            del self.data.due[member]
            return None
        row = self.data.rows.setdefault(member, Row())
        self.data.fence += 1
        unsettled, lease_ends = row.open_claim, self._monotonic() + self._lease
        row.fence, row.open_claim, row.again = self.data.fence, now, False
        row.claimed_until = self.data.due[member] = now + self._lease
        held = None if row.value is None else Held(row.value, row.version, row.fence, unsettled, lease_ends)
        return Claim(kind, record_id, held, self.data.fence, lease_ends)
