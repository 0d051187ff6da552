"""The data of the in-memory store: rows with leases, due times, indexes, sets, marks, audit trail, rate limits."""

import asyncio
from dataclasses import dataclass, field

from bot.core.record import AuditEntry, Record


@dataclass(slots=True)
class MemoryRow:
    """One record with its lease; times in epoch seconds."""

    value: Record | None = None
    version: int = 0
    fence: int | None = None
    claimed_until: float = 0.0
    open_claim: float | None = None
    again: bool = False
    expires: float = float("inf")


@dataclass(slots=True)
class RateLane:
    """One rate limit; times in epoch seconds, bookings before `shift` is added."""

    tat: float = 0.0
    tail: float | None = None
    not_before: float = 0.0
    shift: float = 0.0
    bookings: dict[str, float] = field(default_factory=dict)

    def turn(self, who: str, now: float, interval_seconds: float, burst: int, *, urgent: bool) -> float:
        """Seconds until `who` may proceed; 0 if granted, which uses the slot."""
        tail = None if self.tail is None else self.tail + self.shift
        slot = None if who not in self.bookings else self.bookings[who] + self.shift
        free = max(self.not_before, self.tat - (burst - 1) * interval_seconds)
        mine = slot <= now if slot is not None else tail is None or tail <= now
        if interval_seconds <= 0:
            return max(0.0, self.not_before - now)
        if free <= now and (urgent or mine):
            self._granted(who, now, interval_seconds, slot)
            return 0.0
        if urgent:
            return max(0.001, free - now)
        if slot is None:
            slot = max(0.0 if tail is None else tail + interval_seconds, now, free)
            self.tail = self.bookings[who] = slot - self.shift
        return max(0.001, max(slot, free) - now)

    def _granted(self, who: str, now: float, interval_seconds: float, slot: float | None) -> None:
        tail = None if self.tail is None else self.tail + self.shift
        self.bookings.pop(who, None)
        if tail is None or tail <= now:
            self.tail, self.shift, self.bookings = None, 0.0, {}
        elif slot is None:
            self.shift += interval_seconds
        elif now - slot <= interval_seconds:
            self.shift += max(0.0, now - slot)
        self.tat = max(self.tat, now) + interval_seconds

    def hold(self, until: float, now: float) -> None:
        """Nobody proceeds before then; existing bookings are delayed by as much."""
        before = max(now, self.not_before, self.tat)
        self.not_before = max(self.not_before, until)
        if self.tail is not None and self.tail + self.shift > now:
            self.shift += max(0.0, until - before)


@dataclass(slots=True)
class MemoryData:
    """What several MemoryStores share, as processes share a server."""

    rows: dict[str, MemoryRow] = field(default_factory=dict)
    """By kind and id, `inc:i1`."""
    due: dict[str, float] = field(default_factory=dict)
    """Member → due time (epoch seconds)."""
    indexes: dict[str, str] = field(default_factory=dict)
    sets: dict[str, set[str]] = field(default_factory=dict)
    lists: dict[str, dict[str, float]] = field(default_factory=dict)
    """List → member → expiry."""
    marks: dict[str, tuple[str, float]] = field(default_factory=dict)
    trail: list[tuple[str, AuditEntry, str]] = field(default_factory=list)
    lanes: dict[str, RateLane] = field(default_factory=dict)
    listeners: list[asyncio.Event] = field(default_factory=list)
    fence: int = 0
    commits: int = 0
