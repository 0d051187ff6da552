"""What a process remembers of a large fleet, so that work for all incidents and all pools is done once.

Nothing of it is stored, and nothing is lost with it: another process finds it out for itself.
"""

import asyncio
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from bot.config import File
from bot.core.incident.incident import Incident
from bot.core.pool.pool import Pool, PoolRules, empty
from bot.core.ranking.worst_first import worst_first
from bot.core.record import Stored
from bot.ports import Store

T = TypeVar("T")
V = TypeVar("V")
FEW = 8
"""So few pools are read whole, and every measurement is told to every incident of them."""
MOST_WHOLE = 40
"""Pools whose samples are read at once: a message shows 12, and each is 140 kB."""
REST_SECONDS = 1.0
"""How often measurements may wake an incident of many pools; a click does at any time."""
MOST_REMEMBERED = 1000
AT_ONCE = 10
"""Pools of a source that are measured in the same moment: one query may ask for all of them."""


@dataclass(frozen=True, slots=True)
class Rest:
    """An incident that was brought in line with its record."""

    version: int
    since: float
    """Monotonic seconds."""
    until: float | None
    """When there is more to do (epoch seconds); None: when something happens."""


@dataclass(slots=True)
class Fleet:
    spoken: dict[str, str] = field(default_factory=dict)
    """Incident of many pools → the one for which its alert fired."""
    _rests: dict[str, Rest] = field(default_factory=dict)
    _newest: Mapping[str, Pool] = field(default_factory=dict)
    _read_at: float = float("-inf")
    """When `_newest` was read (monotonic seconds)."""
    _reading: asyncio.Lock = field(default_factory=asyncio.Lock)
    _working: asyncio.Lock = field(default_factory=asyncio.Lock)
    _file: File | None = None
    _places: Mapping[str, float] = field(default_factory=dict)
    """Of the pools of `_file`."""

    async def newest(self, store: Store, names: Collection[str], now: float) -> Mapping[str, Pool]:
        """The newest samples of all configured pools: read once for all incidents that look in the same second."""
        async with self._reading:
            if now - self._read_at > REST_SECONDS:
                self._newest, self._read_at = await newest(store, names), now
            return self._newest

    def rests(self, held: Stored[Incident], until: float | None, now: float) -> None:
        """Nothing more to do for an incident of many pools."""
        if len(held.value.pools.candidates) > FEW:
            _bounded(self._rests)[held.value.id] = Rest(held.version, now, until)

    def pause(self, held: Stored[Incident], now: float, at: float) -> float:
        """For how long an incident is left alone that only measurements have woken; `at` in epoch seconds."""
        rest = self._rests.get(held.value.id)
        if rest is None or rest.version != held.version or (rest.until is not None and rest.until <= at):
            return 0.0
        return max(0.0, REST_SECONDS - (now - rest.since))

    async def alone(self, work: Callable[[], T]) -> T:
        """What `work` gives, in a turn of the event loop of its own: several pools are often worked out at once."""
        async with self._working:
            await asyncio.sleep(0)
            return work()

    def place(self, file: File, pool: str) -> float | None:
        """Where in a watch period a pool is measured, as a share of it; None where all are measured at once."""
        if self._file is not file:
            self._file, self._places = file, places(file)
        return self._places.get(pool)

    def speaks(self, incident: str, pool: str) -> None:
        """The alert of an incident fired for this pool."""
        _bounded(self.spoken)[incident] = pool


def _bounded(known: dict[str, V]) -> dict[str, V]:
    if len(known) >= MOST_REMEMBERED:
        known.clear()
    return known


async def newest(store: Store, names: Iterable[str]) -> dict[str, Pool]:
    """Pools with their newest sample only."""
    return {name: held.value for name, held in (await store.get_many(Pool, list(names), newest=True)).items()}


async def looked_at(
    store: Store, names: Collection[str], rules: Mapping[str, PoolRules], needed: Collection[str] = ()
) -> dict[str, Pool]:
    """Pools with all samples of the `needed` ones and of those that queue, worst first; the newest of the others."""
    if len(names) <= FEW:
        return {name: held.value for name, held in (await store.get_many(Pool, list(names))).items()}
    found = await newest(store, names)
    last = worst_first([pool.latest for pool in found.values() if pool.latest], rules)
    queueing = [one.pool for one in last if one.pool in needed or not _calm(found[one.pool], rules)]
    whole = await store.get_many(Pool, queueing[:MOST_WHOLE])
    return {**found, **{name: held.value for name, held in whole.items()}}


def _calm(pool: Pool, rules: Mapping[str, PoolRules]) -> bool:
    """Whether nothing is wrong with its queue; an unknown one is not calm."""
    floor = rules[pool.id].floor if pool.id in rules else 0
    return empty(pool.latest, floor) is True


def places(file: File) -> dict[str, float]:
    """The place of each pool in a watch period: some of a source together, all of them evenly; few have none."""
    by_source = dict[object, list[str]]()
    for name, table in file.pool.items():
        by_source.setdefault(tuple(table.metrics), []).append(name)
    groups = [some[n : n + AT_ONCE] for some in by_source.values() for n in range(0, len(some), AT_ONCE)]
    many = len(file.pool) > AT_ONCE
    return {name: number / len(groups) for number, some in enumerate(groups) for name in some} if many else {}


def next_turn(since: float, period: float, place: float | None) -> float:
    """When a pool is measured after `since` (epoch seconds): a period later, or at its place in the next ones."""
    if place is None:
        return since + period
    begin = since + period / 2
    return begin + (place * period - begin) % period


def undisturbed(before: Pool, after: Pool, floor: int, samples: int) -> bool:
    """Whether a measurement is no news to an incident: fine for so many samples, or as unknown as it was before."""
    if after.trouble is not None:
        return after.trouble == before.trouble and after.latest == before.latest
    lately = after.samples[-samples - 1 :]
    known = len(after.samples) > samples and before.trouble is None and after.trouble is None
    return known and all(empty(sample, floor) is True for sample in lately)
