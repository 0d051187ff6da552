"""The Store on Redis 6.2 or newer: records, leases, marks, audit trail and rate limits (docs/design/storage.md)."""

import contextlib
import math
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import TypeVar

import structlog

from bot.adapters.loop.turns import in_turns
from bot.adapters.records import KINDS, kind_name
from bot.adapters.redis import commit as keys
from bot.adapters.redis import scripts
from bot.adapters.redis.calls import RedisLink, Reply, rows_of, text, text_or_none, whole
from bot.adapters.redis.clock import StoreClock
from bot.adapters.redis.connect import Clients
from bot.adapters.redis.rate_lanes import ACQUIRE_SLOT, ARRANGE, PAUSE_LANE, lane_keys
from bot.adapters.redis.read_before import PARK_SECONDS, Records, held_of, log_unreadable
from bot.adapters.redis.safety_checks import nearly_full, of_facts, of_format, unsafe_settings
from bot.adapters.redis.trail import TrailEnds, entries, logged
from bot.adapters.redis.wake import RedisWake
from bot.core.audit_chain import AuditEntry
from bot.core.external import Problem
from bot.core.incident.incident import Incident
from bot.core.message import OPEN, SHUT
from bot.core.pool.pool import Pool
from bot.core.record import AlreadyDone, Change, Claim, Claims, Conflict, EndedAlerts, KnownGroup, Record, Stored
from bot.ports import Failure, Unreachable

R = TypeVar("R", bound=Record)

OWN_SECONDS = 86400.0
"""How long Redis keeps what a process committed last. Its clock may step: a process believes in half of that."""


class RedisStore:
    """Implements `bot.ports.Store`, one per process; times are sent as delays, so clock differences do not matter."""

    def __init__(
        self, clients: Clients, clocks: keys.Clocks, *, lease_seconds: float = 10.0, shared: bool = True
    ) -> None:
        """`shared`: whether other processes write there too, so that their commits have to wake this one."""
        self._clients, self._shared = clients, shared
        self._link, self._bulk = RedisLink(clients.requests), RedisLink(clients.bulk)
        self.clock = self._bulk.clock = StoreClock(self._link, clocks)
        self._clocks = clocks
        self._lease = lease_seconds
        self._sender = secrets.token_hex(8)
        self._requests = count(1)
        """Numbers of the commits; a repeated one has the same, and is applied once."""
        self._wake = RedisWake(clients.listener if shared else None, self._sender)
        self._trail = TrailEnds(clocks.now)
        self._records = Records(self._bulk)
        self._hw, self._lost = 0, False
        self._own_key = f"{keys.ROOT}own:{self._sender}"
        self._own, self._own_at = 0, 0.0
        """What the counter was at this process's last commit, and when that was (monotonic)."""

    @property
    def _ahead_ms(self) -> int:
        return round(self._clocks.ahead() * 1000)

    @property
    def _mine(self) -> int:
        """What Redis must know of this process's commits; 0 once it may have forgotten it."""
        return self._own if self._clocks.monotonic() - self._own_at < OWN_SECONDS / 2 else 0

    async def aclose(self) -> None:
        await self._wake.aclose()
        await self._clients.aclose()

    async def get(self, kind: type[R], record_id: str) -> Stored[R] | None:
        (row,) = await self._link.timed(scripts.READ, [f"{keys.RECORDS}{kind_name(kind)}:{record_id}"], (0, ""))
        return held_of(kind, record_id, *rows_of(row))

    async def get_many(self, kind: type[R], ids: Sequence[str], *, newest: bool = False) -> dict[str, Stored[R]]:
        return await self._records.get_many(kind, ids, newest=newest)

    async def find(self, index: str) -> str | None:
        return text_or_none(await self._link.read("GET", keys.INDEXES + index))

    async def find_many(self, indexes: Sequence[str]) -> tuple[str | None, ...]:
        reply = await self._link.read("MGET", *(keys.INDEXES + index for index in indexes))
        return tuple(text_or_none(value) for value in reply) if isinstance(reply, list) else (None,) * len(indexes)

    async def open_under(self, index: str, once_key: str, likeness: str) -> KnownGroup:
        arguments = (keys.ONCE + once_key, keys.INDEXES + index, f"{keys.RECORDS}ended:{likeness}")
        reply = await self._link.timed(scripts.OPEN_UNDER, arguments, (f"{keys.RECORDS}inc:",))
        seen, record_id, document, version, ended, ended_version = reply
        incident = held_of(Incident, text_or_none(record_id) or "", document, version)
        return KnownGroup(bool(seen), incident, held_of(EndedAlerts, likeness, ended, ended_version))

    async def members(self, name: str) -> set[str]:
        reply = await self._link.read("SMEMBERS", keys.SETS + name)
        return {text(member) for member in reply} if isinstance(reply, (set, list)) else set()

    async def listed(self, name: str) -> tuple[str, ...]:
        """Members of a list, the first to expire first."""
        reply = await self._link.timed(scripts.LISTED, (keys.LISTS + name,), (self._ahead_ms,))
        return tuple(text(member) for member in reply)

    async def done_by(self, once_key: str) -> str | None:
        return text_or_none(await self._link.read("GET", keys.ONCE + once_key))

    async def commit(self, change: Change) -> None:
        """Apply a change atomically. Raises Conflict, AlreadyDone, or Unreachable (UNKNOWN: it may be applied)."""
        follows, rows = self._trail.take(change.audit) if change.audit else ((), [])
        unfollowed, missed = follows, self._trail.last_id
        try:
            moved = await self._committed(change, rows, first=not follows)
            unfollowed = (moved,) if moved else ()
        except Unreachable as error:
            if error.failure is Failure.UNKNOWN:
                logged(rows, "unknown")
            raise
        finally:
            self._trail.give_back(unfollowed)
        if moved is not None:  # this process wrote nothing yet, and others did, or what it wrote is gone
            begins = None if moved else self._trail.begin_anew(missed, lost=self._lost)
            await self.commit(replace(change, audit=(begins, *change.audit)) if begins else change)

    async def claim(self, most: int) -> Claims:
        """Claim up to `most` due records for the length of the lease; unreadable ones are put back and logged."""
        lease_ends = self._clocks.monotonic() + self._lease
        seen = self._hw
        rate = self._clocks.rate()
        args = (most, math.ceil(self._lease * rate * 1000), keys.RECORDS, self._mine, self._ahead_ms)
        names = (keys.DUE, keys.FENCE, keys.HW, self._own_key)
        now, high, wait, rows = await self._link.timed(scripts.CLAIM, names, args)
        self._note(whole(high), seen)
        offset = self._clocks.now() - whole(now) / 1000
        claimed = [tuple(rows_of(row)) for row in rows_of(rows)]
        pools = await self._records.pools_of(claimed)
        claims = [await self._claimed(row, pools, offset, lease_ends) async for row in in_turns(claimed)]
        return Claims(tuple(filter(None, claims)), None if whole(wait) < 0 else whole(wait) / 1000 / rate)

    async def acquire_slot(  # noqa: PLR0913 - one question in one round trip
        self, rate_lane: str, who: str, interval: float, burst: int, *, urgent: bool, unless: Sequence[str] = ()
    ) -> float:
        """Ask for a slot in a rate lane: 0 when it is granted, else the clock's seconds after which to ask again.

        The interval is in real seconds; a lane without one is stopped by pauses alone.
        """
        args = (who, math.ceil(interval * 1000), max(1, burst), int(urgent), OPEN)
        arguments = (*lane_keys(rate_lane), *(keys.INDEXES + index for index in unless))
        reply = await self._link.timed(ACQUIRE_SLOT, arguments, args)
        return SHUT if whole(reply[0]) < 0 else whole(reply[0]) / 1000 * self._clocks.rate()

    async def arrange(self, rate_lane: str, order: Sequence[str]) -> None:
        await self._link.timed(ARRANGE, lane_keys(rate_lane)[:1], order)

    async def pause_lane(self, rate_lane: str, seconds: float) -> None:
        """Grant nothing for this many real seconds: a 429 stops the whole queue; a longer pause stays."""
        await self._link.timed(PAUSE_LANE, lane_keys(rate_lane), (math.ceil(seconds * 1000),))

    async def woken(self, timeout_seconds: float) -> bool:
        return await self._wake.wait(timeout_seconds)

    async def audit_trail(self, after: str = "-", most: int = 1000) -> list[tuple[str, AuditEntry, str]]:
        begin = "-" if after == "-" else f"({after}"
        return entries(await self._bulk.read("XRANGE", keys.AUDIT, begin, "+", "COUNT", most))

    async def audit_head(self) -> str:
        return text_or_none(await self._link.read("GET", keys.HEAD)) or ""

    async def check(self) -> list[Problem]:
        """Unsafe settings of this Redis, a sentence with remedy each; empty if safe."""
        return [*await unsafe_settings(self._link, self._clocks.now), *await of_format(self._link)]

    async def storable(self) -> str:
        """Write a small key that expires; gives a warning while memory or disk are nearly used up.

        Or while settings are unsafe: after a failover, another server may have others than at the start. Raises
        Unreachable when nothing can be stored: full memory or disk, a replica, no connection.
        """
        await self._link.read("SET", keys.PROBE, "1", "EX", "300")
        await self.examine_trail()
        facts = await self._link.read("INFO", "everything")
        unsafe = of_facts(facts) if self._shared and isinstance(facts, Mapping) else []
        one = next(filter(None, (nearly_full(facts), *unsafe)), None)
        return "; ".join((one.what, one.remedy)) if one else ""

    async def examine_trail(self) -> None:
        """Look whether this process's last audit entry is still there; each does so by itself, whoever asks."""
        if last := self._trail.last_id:
            self._trail.examine(last, entries(await self._link.read("XRANGE", keys.AUDIT, last, last)))

    async def filling(self) -> Problem | None:
        """A warning while memory or disk are nearly used up."""
        return nearly_full(await self._link.read("INFO", "everything"))

    async def adopt(self) -> list[Problem]:
        """Start working on these records; a sentence instead if a newer release has written them."""
        return await of_format(self._link, adopt=True)

    async def time(self) -> float:
        """The clock of all processes in epoch seconds."""
        return await self.clock.look()

    def lost_data(self) -> bool:
        """Whether Redis knows less than this process saw committed (P10); stays so until `accept_loss`."""
        return self._lost

    def audit_problem(self) -> str:
        """Why the audit trail cannot be trusted; empty while this process's last entry is in it (see `storable`)."""
        return self._trail.problem

    def accept_loss(self) -> None:
        """Continue with the data in Redis; lost records have been recovered from outside."""
        self._lost, self._hw, self._own = False, 0, 0
        self._trail.accept_loss()

    async def _committed(self, change: Change, rows: list[tuple[str, str]], *, first: bool) -> str | None:
        """None if applied, else the last entry's hash, to be followed; empty if our own last one is gone."""
        lease = math.ceil(self._lease * self._clocks.rate() * 1000)
        args = keys.request(
            change, self._clocks.now(), rows, lease=lease, sender=self._sender, first=first, last=self._trail.last,
            mine=self._mine, mine_ms=round(OWN_SECONDS * 1000),
        )  # fmt: skip
        request = f"{keys.ROOT}req:{self._sender}.{next(self._requests)}"
        names = (request, keys.HW, keys.DUE, keys.AUDIT, keys.HEAD, self._own_key)
        seen = self._hw
        outcome, detail, *rest = await self._link.timed(scripts.COMMIT, names, (*args, self._ahead_ms))
        match outcome:
            case b"ok":
                self._note(whole(detail), seen)
                self._own, self._own_at = max(self._own, whole(detail)), self._clocks.monotonic()
                self._records.keep(change.puts, args[1:])
                if rest[0]:
                    self._wake.set()
                if rows:
                    self._trail.written(rows, *(text(one) for one in rest[1:]))
                return None
            case b"head":
                return text(detail)
            case b"trail":
                self._note(whole(detail), seen)
                return ""
            case b"once":
                raise AlreadyDone(text(detail))
        raise Conflict(text(detail))

    async def _claimed(
        self, row: Sequence[Reply], pools: Mapping[str, Stored[Pool]], offset: float, lease_ends: float
    ) -> Claim | None:
        member, fence, document, version, opened_ms = row
        name, _, record_id = text(member).partition(":")
        try:
            known: Stored[Record] | None = pools.get(record_id) if KINDS.get(name) is Pool else None
            known = known or self._records.unchanged(text(member), document, whole(version))
            held = known or (held_of(KINDS[name], record_id, document, version) if name in KINDS else None)
            problem = "" if name in KINDS else "this release does not know its kind; update Tailback"
            if held is not None and known is None and isinstance(held.value, Pool):
                held, problem = None, f"{text(member)} cannot be read: its samples"
        except Unreachable as error:
            held, problem = None, error.what
        if problem:
            log_unreadable(text(member), problem)
            with contextlib.suppress(Unreachable):  # then its lease expires
                await self.give_back(Claim(name, record_id, None, whole(fence), lease_ends), PARK_SECONDS)
            return None
        if held is not None:
            in_doubt_since = whole(opened_ms) / 1000 + offset if opened_ms else None
            held = Stored(held.value, held.version, whole(fence), in_doubt_since, lease_ends)
        return Claim(name, record_id, held, whole(fence), lease_ends)

    async def give_back(self, claim: Claim, seconds: float) -> None:
        member = f"{claim.kind}:{claim.id}"
        args = (member, claim.fence, math.ceil(seconds * 1000), self._ahead_ms)
        await self._link.timed(scripts.GIVE_BACK, (keys.RECORDS + member, keys.DUE), args)

    def _note(self, high: int, seen: int) -> None:
        """`seen` is the counter when the request began; replies of parallel requests may arrive out of order.

        `high` is 0 when this process's last commit is not there.
        """
        if high < seen:
            self._lost = True
            self._trail.lost()
            self._hw, self._own = high, 0
            structlog.get_logger().error("redis lost data", committed_seen=seen, committed_found=high)
        else:
            self._hw = max(self._hw, high)
