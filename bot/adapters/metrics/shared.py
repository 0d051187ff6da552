"""One process reads a source for all replicas, so that calls do not multiply with them."""

import asyncio
import uuid
from collections.abc import Callable, Collection, Mapping

from bot.adapters.http.background import begun
from bot.core.pool.pool import Snapshot
from bot.core.record import Change, Conflict, Put, SourceRound, Stored
from bot.ports import Metrics, Store, Unreachable

LAPSED = 3
"""After so many periods without a new round another process takes over."""
KEPT_SECONDS = 3600.0
READ_SECONDS = 1.0
EARLY = 0.9
"""Share of a period before which no new round is published."""


class Shared:
    """The port `Metrics`: a source whose samples go through the store. Without the store each process reads alone.

    The process that holds the source publishes a round beside its measurements, so that none waits for it: the samples
    that it just took, and those of the pools that other processes measure.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - the source, what it is called, and where it is shared
        self, source: Metrics, store: Store, now: Callable[[], float], seconds: float, pools: Collection[str], name: str
    ) -> None:
        """`seconds` is the source's period; `name` its configured name. `now` gives epoch seconds."""
        self._source, self._store, self._now, self._seconds = source, store, now, seconds
        self._pools, self._name, self._me = tuple(pools), name, uuid.uuid4().hex
        self._taken: dict[str, tuple[float, Snapshot]] = {}
        self._publishing: asyncio.Task[None] | None = None
        self._reading, self._read_at = asyncio.Lock(), float("-inf")
        self._held: Stored[SourceRound] | None = None
        self._samples: Mapping[str, Snapshot] = {}
        """The samples of `_held`, by pool."""

    async def snapshot(self, pool: str) -> Snapshot:
        """The pool now: by the process that holds the source, or read here. Raises Unreachable."""
        try:
            held = await self._round()
        except Unreachable:
            return await self._source.snapshot(pool)
        age = self._now() - held.value.at if held else 0.0
        mine = held is None or held.value.holder == self._me or age >= LAPSED * self._seconds
        if not mine and pool in self._samples:
            return self._samples[pool]
        began, sample = self._now(), await self._source.snapshot(pool)
        self._taken[pool] = (began, sample)
        due = held is None or held.value.holder != self._me or age >= EARLY * self._seconds
        if mine and due and self._publishing is None:
            self._publishing = begun(self._publish(held))
        return sample

    async def history(self, pool: str, since: float, until: float, step_seconds: float) -> tuple[Snapshot, ...]:
        return await self._source.history(pool, since, until, step_seconds)

    async def _round(self) -> Stored[SourceRound] | None:
        """What is published: read once for all pools that look in the same second, since it has the samples of all."""
        async with self._reading:
            if not 0 <= self._now() - self._read_at < READ_SECONDS:
                self._held, self._read_at = await self._store.get(SourceRound, self._name), self._now()
                self._samples = {one.pool: one for one in self._held.value.samples} if self._held else {}
            return self._held

    async def _publish(self, held: Stored[SourceRound] | None) -> None:
        """Store what is known of every pool; a process that was faster keeps the source."""
        try:
            now = self._now()
            samples = {pool: one for pool, (at, one) in self._taken.items() if 0 <= now - at < EARLY * self._seconds}
            others = [self._source.snapshot(pool) for pool in self._pools if pool not in samples]
            found = await asyncio.gather(*others, return_exceptions=True)
            samples |= {one.pool: one for one in found if isinstance(one, Snapshot)}
            after = SourceRound(self._name, self._me, now, tuple(samples.values()))
            put = Put(held or Stored(SourceRound(self._name), 0), after, None, keep_seconds=KEPT_SECONDS)
            await self._store.commit(Change(puts=(put,)))
        except (Conflict, Unreachable):
            return
        finally:
            self._publishing, self._read_at = None, float("-inf")
