"""What this process read or wrote before, so that an unchanged record is neither sent nor decoded again.

Redis decides each time whether a record is unchanged, so other processes may write at any time. A version alone could
come twice, after a loss or a deletion: the document counts too.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha1
from typing import TypeVar, cast

import structlog

from bot.adapters.loop.turns import in_turns
from bot.adapters.records import decode, kind_name
from bot.adapters.redis import scripts
from bot.adapters.redis.calls import RedisLink, Reply, Word, rows_of, text, whole
from bot.adapters.redis.commit import RECORDS
from bot.core.incident.incident import Incident
from bot.core.pool.pool import Pool
from bot.core.record import Put, Record, Stored
from bot.ports import Unreachable

R = TypeVar("R", bound=Record)

PORTION = 100
"""Records of one reply: large ones are not to keep commits waiting."""
PARK_SECONDS = 60.0
"""An unreadable record is tried again after this long, so that a rolling update repairs itself."""
MOST_READ = 4096
"""Records: newest samples, and incidents."""
MOST_WHOLE = 512
"""Pools with all samples, about 100 kB each in memory."""
KEPT = frozenset({Pool, Incident})
"""Kinds that many read between two of their changes."""


def mark_of(version: int, document: bytes) -> str:
    """What tells one state of a record from any other."""
    return f"{version}:{sha1(document, usedforsecurity=False).hexdigest()}"


class ReadBefore:
    """Records by key, the ones not asked for longest dropped first."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._known: OrderedDict[str, tuple[str, Stored[Record]]] = OrderedDict()

    def mark(self, key: str) -> str:
        """What Redis compares with its own; empty if nothing is known."""
        return self._known[key][0] if key in self._known else ""

    def get(self, key: str) -> Stored[Record] | None:
        """The record as it was read; None if it is not known."""
        if key not in self._known:
            return None
        self._known.move_to_end(key)
        return self._known[key][1]

    def add(self, key: str, document: bytes, held: Stored[Record]) -> None:
        """Remember a record as it was just read or written."""
        if type(held.value) not in KEPT:
            return
        self._known[key] = mark_of(held.version, document), held
        self._known.move_to_end(key)
        while len(self._known) > self._most:
            self._known.popitem(last=False)


class Records:
    """Reads records through one connection, of pools and incidents only the changed ones."""

    def __init__(self, link: RedisLink) -> None:
        self._link, self._read, self._whole = link, ReadBefore(MOST_READ), ReadBefore(MOST_WHOLE)

    async def get_many(self, kind: type[R], ids: Sequence[str], *, newest: bool = False) -> dict[str, Stored[R]]:
        """The existing records by id, many in portions; unreadable ones are skipped and logged.

        With `newest`, pools come with their newest sample only: a fiftieth of the bytes, and not to be written.
        Pools and incidents that are unchanged since this process read them are not sent again.
        """
        prefix, found = f"{RECORDS}{kind_name(kind)}:", dict[str, Stored[R]]()
        before = self._whole if kind is Pool and not newest else self._read
        for first in range(0, len(ids), PORTION):
            some = ids[first : first + PORTION]
            names = [prefix + record_id for record_id in some]
            # held here, so that another reader cannot drop one in between
            known = {name: (before.mark(name), before.get(name)) for name in names}
            marks = [known[name][0] for name in names]
            rows = await self._link.timed(scripts.READ, names, (int(newest), *marks))
            async for record_id, row in in_turns(zip(some, rows, strict=True)):
                try:
                    document, *rest = rows_of(row)
                    same = known[prefix + record_id][1] if document == 1 else None
                    held = cast("Stored[R]", same) if same else held_of(kind, record_id, document, *rest)
                    if held is not None and isinstance(document, bytes):
                        before.add(prefix + record_id, document, held)
                except Unreachable as error:
                    log_unreadable(f"{kind_name(kind)}:{record_id}", error.what)
                    continue
                if held is not None:
                    found[record_id] = held
        return found

    async def pools_of(self, rows: Sequence[Sequence[Reply]]) -> dict[str, Stored[Pool]]:
        """Claimed pools by id, with all samples; those that this process knows as they are need no reading."""
        found, unknown = dict[str, Stored[Pool]](), list[str]()
        for member, _, document, version, _ in rows:
            kind, _, name = text(member).partition(":")
            if kind != kind_name(Pool) or not isinstance(document, bytes):
                continue
            known = self.unchanged(text(member), document, whole(version))
            if known is not None and isinstance(known.value, Pool):
                found[name] = Stored(known.value, known.version)
            else:
                unknown.append(name)
        return {**found, **await self.get_many(Pool, unknown)}

    def unchanged(self, member: str, document: object, version: int) -> Stored[Record] | None:
        """A record as this process read or wrote it, a pool with all samples; None unless it is still the same."""
        key, before = RECORDS + member, self._whole if member.startswith(f"{kind_name(Pool)}:") else self._read
        same = isinstance(document, bytes) and before.mark(key) == mark_of(version, document)
        return before.get(key) if same else None

    def keep(self, puts: Sequence[Put], documents: Sequence[Word]) -> None:
        """Remember what this process wrote, as if it had read it."""
        for put, document in zip(puts, documents, strict=True):
            value, version = put.value, put.held.version + 1
            key = f"{RECORDS}{kind_name(type(value))}:{value.id}"
            if not isinstance(document, bytes):
                continue
            if isinstance(value, Pool):
                self._whole.add(key, document, Stored(value, version))
                value = replace(value, samples=value.samples[-1:])
            self._read.add(key, document, Stored(value, version))


def log_unreadable(record: str, problem: str) -> None:
    """Lists read the same record every few seconds: it is written once in a while."""
    structlog.get_logger().error("record unreadable", record=record, problem=problem, repeats="record")


def held_of(kind: type[R], record_id: str, document: object, version: object, older: object = None) -> Stored[R] | None:
    """The record of a reply; None if there is none. Raises Unreachable if it cannot be read."""
    if not isinstance(document, bytes):
        return None
    samples = older if isinstance(older, bytes) else b""
    return Stored(decode(kind, record_id, document, samples), whole(version))
