"""An in-memory store with the same contract as the one on Redis; for replays, which set the time."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from bot.core.audit_chain import AuditEntry, canonical, hash_of
from bot.core.incident.incident import Incident
from bot.core.message import OPEN, SHUT
from bot.core.record import AlreadyDone, Change, Claim, Claims, Conflict, EndedAlerts, KnownGroup, Put, Record, Stored
from bot.playground.memory.rows import MemoryData, MemoryRow, RateLane

R = TypeVar("R", bound=Record)
DAY = 86400.0


class MemoryStore:
    """Implements `bot.ports.Store` without a server; several with one MemoryData act as several processes.

    It is deterministic: the same calls at the same times give the same answers.
    """

    def __init__(
        self,
        now: Callable[[], float],
        monotonic: Callable[[], float],
        kinds: Mapping[str, type[Record]],
        *,
        data: MemoryData | None = None,
        lease_seconds: float = 10.0,
    ) -> None:
        """`now` gives epoch seconds, `monotonic` seconds that never jump; `kinds` names the types of records."""
        self._kinds = kinds
        self._names: dict[type[object], str] = {kind: name for name, kind in kinds.items()}
        self.data = data or MemoryData()
        self._now = now
        self._monotonic = monotonic
        self._lease = lease_seconds
        self._woken = asyncio.Event()
        self.data.listeners.append(self._woken)

    async def get(self, kind: type[R], record_id: str) -> Stored[R] | None:
        """One record; None if it does not exist."""
        row = self._row(f"{self._names[kind]}:{record_id}")
        return Stored(row.value, row.version) if row is not None and isinstance(row.value, kind) else None

    async def get_many(
        self,
        kind: type[R],
        ids: Sequence[str],
        *,
        newest: bool = False,  # noqa: ARG002 - whole records cost nothing here
    ) -> dict[str, Stored[R]]:
        """The records that exist, by id."""
        found = {record_id: await self.get(kind, record_id) for record_id in ids}
        return {record_id: held for record_id, held in found.items() if held is not None}

    async def find(self, index: str) -> str | None:
        """The id that an index points to."""
        return self.data.indexes.get(index)

    async def find_many(self, indexes: Sequence[str]) -> tuple[str | None, ...]:
        """What each of `indexes` points to."""
        return tuple(self.data.indexes.get(index) for index in indexes)

    async def open_under(self, index: str, once_key: str, likeness: str) -> KnownGroup:
        """Whether `once_key` was applied, the incident that `index` points to, and its ended alerts."""
        seen = await self.done_by(once_key) is not None
        incident = await self.get(Incident, self.data.indexes.get(index, ""))
        return KnownGroup(seen, incident, await self.get(EndedAlerts, likeness))

    async def members(self, name: str) -> set[str]:
        """The members of a set."""
        return set(self.data.sets.get(name, ()))

    async def listed(self, name: str) -> tuple[str, ...]:
        """Members of a list by expiry; expired ones are dropped."""
        found, now = self.data.lists.get(name, {}), self._now()
        for member in [one for one, until in found.items() if until <= now]:
            del found[member]
        return tuple(sorted(found, key=lambda one: (found[one], one)))

    async def done_by(self, once_key: str) -> str | None:
        """The object to which `once_key` was applied; None if it was not."""
        by, until = self.data.marks.get(once_key, ("", 0.0))
        return by if until > self._now() else None

    async def commit(self, change: Change) -> None:
        """Apply a change atomically. Raises Conflict or AlreadyDone, and then nothing was written."""
        for once_key in change.once:
            if (by := await self.done_by(once_key)) is not None:
                raise AlreadyDone(by)
        self._check(change)
        now = self._now()
        earliest = min(self.data.due.values(), default=float("inf"))
        before = dict(self.data.due)
        for once_key in change.once:
            self.data.marks[once_key] = (change.once_value, now + DAY)
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
            entry = replace(entry, follows=(head,) if head else ())  # noqa: PLW2901 - as the chain has it
            self.data.trail.append((stream_id, entry, hash_of(canonical(entry))))
        self.data.commits += 1
        fresh = [at for member, at in self.data.due.items() if before.get(member) != at]
        if any(at <= now or at < earliest for at in fresh):
            for listener in self.data.listeners:
                listener.set()

    async def claim(self, most: int) -> Claims:
        """Claim up to `most` due records for the length of the lease, the longest due first."""
        now = self._now()
        claims: list[Claim] = []
        ready = sorted((at, member) for member, at in self.data.due.items() if at <= now)
        for _, member in ready[:most]:
            if (claim := self._claimed(member, now)) is not None:
                claims.append(claim)
        soonest = self.next_due()
        return Claims(tuple(claims), None if soonest is None else max(0.0, soonest - now))

    async def give_back(self, claim: Claim, seconds: float) -> None:
        """End a claim without writing its record, which is due again then; nothing happens if the claim is lost."""
        member = f"{claim.kind}:{claim.id}"
        row = self.data.rows.get(member)
        if row is not None and row.fence == claim.fence:
            row.fence, row.claimed_until = None, 0.0
            self.data.due[member] = self._now() + seconds

    def next_due(self) -> float | None:
        """When the next record is due (epoch seconds); None if none is."""
        return min(self.data.due.values(), default=None)

    async def acquire_slot(  # noqa: PLR0913 - one question in one round trip
        self, rate_lane: str, who: str, interval: float, burst: int, *, urgent: bool, unless: Sequence[str] = ()
    ) -> float:
        """Ask for a slot in a rate lane: 0 when it is granted, else the seconds after which to ask again."""
        if any(self.data.indexes.get(index, OPEN) != OPEN for index in unless):
            return SHUT
        kept = self.data.lanes.setdefault(rate_lane, RateLane())
        return kept.turn(who, self._now(), interval, burst, urgent=urgent)

    async def arrange(self, rate_lane: str, order: Sequence[str]) -> None:
        self.data.lanes.setdefault(rate_lane, RateLane()).arrange(order)

    async def pause_lane(self, rate_lane: str, seconds: float) -> None:
        """Stop a lane for that long."""
        now = self._now()
        self.data.lanes.setdefault(rate_lane, RateLane()).hold(now + seconds, now)

    async def woken(self, timeout_seconds: float) -> bool:
        """Wait until a commit makes something due; False after the timeout, which is in real seconds."""
        try:
            async with asyncio.timeout(timeout_seconds):
                await self._woken.wait()
        except TimeoutError:
            return False
        self._woken.clear()
        return True

    def lost_data(self) -> bool:
        """Always false: the data lives as long as the process."""
        return False

    def accept_loss(self) -> None:
        """Does nothing."""

    async def audit_trail(self, after: str = "-", most: int = 1000) -> list[tuple[str, AuditEntry, str]]:
        """(stream id, entry, hash) in order; `after` is exclusive."""
        later = [row for row in self.data.trail if after == "-" or _place(row[0]) > _place(after)]
        return later[:most]

    async def audit_head(self) -> str:
        """The hash of the last entry; empty before the first."""
        return self.data.trail[-1][2] if self.data.trail else ""

    async def aclose(self) -> None:
        """Does nothing."""
        self.data.listeners.remove(self._woken)

    def _row(self, member: str) -> MemoryRow | None:
        row = self.data.rows.get(member)
        if row is not None and row.expires <= self._now():
            del self.data.rows[member]
            return None
        return row

    def _check(self, change: Change) -> None:
        for held in (*change.unchanged, *(put.held for put in change.puts)):
            member = f"{self._names[type(held.value)]}:{held.value.id}"
            if (self._row(member) or MemoryRow()).version != held.version:
                raise Conflict(f"{member} changed")
        for put in change.puts:
            member = f"{self._names[type(put.value)]}:{put.value.id}"
            row = self._row(member) or MemoryRow()
            if put.held.fence is not None and row.fence != put.held.fence:
                raise Conflict(f"{member} is claimed by somebody else")
        for index, (_, expected) in change.point.items():
            points_to = self.data.indexes.get(index)
            a_thread = (points_to or "").startswith("@")
            forgotten = not a_thread and all(self._row(f"{kind}:{points_to}") is None for kind in self._kinds)
            if points_to != expected and not (expected is None and forgotten):
                raise Conflict("an index points elsewhere")

    def _gather(self, change: Change, now: float) -> None:
        """Sets and lists."""
        for name, member in change.join:
            self.data.sets.setdefault(name, set()).add(member)
        for name, member in change.leave:
            self.data.sets.get(name, set()).discard(member)
        for name, member, seconds in change.listed:
            self.data.lists.setdefault(name, {})[member] = now + seconds

    def _put(self, put: Put, now: float) -> None:
        member = f"{self._names[type(put.value)]}:{put.value.id}"
        row = self.data.rows.setdefault(member, MemoryRow())
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

    def _put_fenced(self, put: Put, member: str, row: MemoryRow, now: float) -> None:
        if not put.release:
            row.claimed_until = self.data.due[member] = now + self._lease
            row.open_claim = now
            return
        if not put.uncertain:
            row.open_claim = None
        elif put.held.in_doubt_since is not None:
            row.open_claim = put.held.in_doubt_since
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
        """Claim one record for the length of the lease; None if it is gone, which clears its due time."""
        kind, _, record_id = member.partition(":")
        row = self._row(member)
        if (row is None or row.value is None) and kind in {"inc", "act"}:
            del self.data.due[member]
            return None
        row = self.data.rows.setdefault(member, MemoryRow())
        self.data.fence += 1
        in_doubt_since, lease_ends = row.open_claim, self._monotonic() + self._lease
        row.fence, row.open_claim, row.again = self.data.fence, now, False
        row.claimed_until = self.data.due[member] = now + self._lease
        held = None if row.value is None else Stored(row.value, row.version, row.fence, in_doubt_since, lease_ends)
        return Claim(kind, record_id, held, self.data.fence, lease_ends)


def _place(stream_id: str) -> tuple[int, int]:
    """The order of stream ids: milliseconds, then a number."""
    at, _, number = stream_id.partition("-")
    return int(at), int(number or 0)
