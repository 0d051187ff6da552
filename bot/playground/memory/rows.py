"""The data of the in-memory store: rows with leases, due times, indexes, sets, marks, audit trail, rate limits."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from bot.core.audit_chain import AuditEntry
from bot.core.record import Record

GRACE_SECONDS = 2.0
"""An unused reservation of a slot ends after this time."""


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
    """One rate lane, by the rules of the script `ACQUIRE_SLOT`; epoch seconds, bookings before `shift` is added."""

    tat: float = 0.0
    spare: float = 0.0
    """Seconds by which a burst may be ahead of the rate."""
    tail: float | None = None
    not_before: float = 0.0
    shift: float = 0.0
    bookings: dict[str, float] = field(default_factory=dict)
    urgent: dict[str, float] = field(default_factory=dict)
    """Reservations of slots: who → when."""

    def turn(self, who: str, now: float, interval: float, burst: int, *, urgent: bool) -> float:
        """Seconds until `who` may go; 0 when it is granted, and then the lane is used."""
        if interval <= 0:
            return max(0.0, self.not_before - now)
        self.urgent = {one: at for one, at in self.urgent.items() if at > now - max(interval, GRACE_SECONDS)}
        reserved = self.urgent.get(who)
        ahead = sum(at < reserved for at in self.urgent.values()) if reserved is not None else len(self.urgent)
        tail = None if self.tail is None else self.tail + self.shift
        slot = None if who not in self.bookings else self.bookings[who] + self.shift
        ready = max(self.not_before, max(self.tat, now) - (burst - 1 - ahead) * interval)
        mine = slot <= now if slot is not None else tail is None or tail <= now
        urgent = urgent or reserved is not None
        if ready <= now and (urgent or mine):
            self._granted(who, now, interval, slot)
            self.spare = (burst - 1) * interval
            return 0.0
        if urgent:
            self.urgent.setdefault(who, ready)
            return max(0.001, ready - now)
        if slot is None:
            slot = max(0.0 if tail is None else tail + interval, now, ready)
            self.tail = self.bookings[who] = slot - self.shift
        return max(0.001, max(slot, ready) - now)

    def _granted(self, who: str, now: float, interval: float, slot: float | None) -> None:
        tail = None if self.tail is None else self.tail + self.shift
        self.bookings.pop(who, None)
        self.urgent.pop(who, None)
        if tail is None or tail <= now:
            self.tail, self.shift, self.bookings = None, 0.0, {}
        elif slot is None:
            self.shift += interval
        elif now - slot <= interval:
            self.shift += max(0.0, now - slot)
        self.tat = max(self.tat, now) + interval

    def arrange(self, order: Sequence[str]) -> None:
        """Those of `order` that have booked a slot trade slots, so that they have them in this order."""
        known = [who for who in order if who in self.bookings]
        self.bookings |= zip(known, sorted(self.bookings[who] for who in known), strict=True)

    def hold(self, until: float, now: float) -> None:
        """Nobody proceeds before then; existing slots follow in the same order."""
        before = max(now, self.not_before, self.tat - self.spare)
        self.tat = max(self.tat, until + self.spare) if self.tat else 0.0
        self.not_before = max(self.not_before, until)
        order = sorted(self.urgent, key=lambda who: self.urgent[who])
        self.urgent = {who: max(self.urgent[who], until + n / 1000) for n, who in enumerate(order)}
        if self.tail is not None and self.tail + self.shift > now:
            self.shift += max(0.0, until - before)


@dataclass(slots=True)
class MemoryData:
    """The data shared by several MemoryStores, as processes share a server."""

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
