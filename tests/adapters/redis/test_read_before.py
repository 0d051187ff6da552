"""Whatever is written, lost and restored, a process reads what is in Redis, though it decodes little of it."""

import asyncio
import itertools
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace

import redis
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from bot.adapters.redis.commit import Clocks
from bot.adapters.redis.connect import connect
from bot.adapters.redis.store import RedisStore
from bot.core.incident.incident import Incident
from bot.core.pool.pool import Pool, Snapshot, measured
from bot.core.record import Change, Conflict, Put, Stored
from tests.builders import incident
from tests.patience import PATIENCE_SECONDS

POOLS, INCIDENTS = ("p", "q"), ("i", "j")
STEPS = ("measures", "notes", "stale", "claims", "loses", "keeps", "restores", "forgets", "flushes", "reads")


class Story:
    """Two processes, and a third one that has read nothing before: what that one reads is true."""

    def __init__(self, url: str) -> None:
        self.url, self.client, self.minutes = url, redis.Redis.from_url(url), itertools.count()
        self.client.flushall()
        self.stores = [self.store() for _ in range(2)]
        self.kept: dict[bytes, bytes] = {}
        self.held: dict[str, Stored[Pool]] = {}
        """Pools as somebody read them some time ago."""

    def store(self) -> RedisStore:
        return RedisStore(connect(self.url), Clocks(time.time, time.monotonic), lease_seconds=PATIENCE_SECONDS)

    async def measures(self, store: RedisStore, number: int) -> None:
        """A sample more, written to what this process reads; twice as many samples make equal documents likelier."""
        name = POOLS[number % 2]
        held = (await store.get_many(Pool, [name])).get(name) or Stored(Pool(name), 0)
        self.held[name] = held
        minute = next(self.minutes)
        one = Snapshot(name, 1.7e9 + 60 * minute, queued=number % 3)
        await store.commit(Change(puts=(Put(held, measured(held.value, one, one.at), 0.0),)))

    async def notes(self, store: RedisStore, number: int) -> None:
        """The same few words again and again, so that versions and documents come back."""
        name = INCIDENTS[number % 2]
        held = (await store.get_many(Incident, [name])).get(name)
        now = replace(held.value if held else incident(id=name), opened_at=float(number % 3))
        await store.commit(Change(puts=(Put(held or Stored(now, 0), now, None),)))

    async def stale(self, store: RedisStore, number: int) -> None:
        """Somebody commits what was read before others wrote."""
        if (held := self.held.get(POOLS[number % 2])) is not None:
            await store.commit(Change(puts=(Put(held, replace(held.value, trouble="stale"), 0.0),)))

    async def claims(self, store: RedisStore, number: int) -> None:
        truth = await self.truth()
        for claim in (await store.claim(1 + number % 2)).claims:
            assert claim.held is not None
            assert truth[claim.id] == (claim.held.value, claim.held.version)
            await store.give_back(claim, 0.0)

    async def loses(self, *_: object) -> None:
        self.client.flushall()

    async def keeps(self, *_: object) -> None:
        self.kept = {key: self.dumped(key) for key in self.client.scan_iter("{tailback}:*")}

    def dumped(self, key: bytes) -> bytes:
        found = self.client.dump(key)
        assert isinstance(found, bytes)
        return found

    async def restores(self, *_: object) -> None:
        """A failover to a replica that is behind, or a backup."""
        self.client.flushall()
        for key, value in self.kept.items():
            self.client.restore(key, 0, value)

    async def forgets(self, _: RedisStore, number: int) -> None:
        self.client.delete(f"{{tailback}}:rec:{('pool:p', 'inc:i')[number % 2]}")

    async def flushes(self, *_: object) -> None:
        self.client.script_flush()

    async def reads(self, store: RedisStore, _: int) -> None:
        assert await self.all_of(store) == await self.truth()

    async def truth(self) -> dict[str, tuple[object, int]]:
        fresh = self.store()
        found = await self.all_of(fresh)
        await fresh.aclose()
        return found

    async def all_of(self, store: RedisStore) -> dict[str, tuple[object, int]]:
        pools, incidents = await store.get_many(Pool, POOLS), await store.get_many(Incident, INCIDENTS)
        newest = await store.get_many(Pool, POOLS, newest=True)
        for name, held in pools.items():
            only = replace(held.value, samples=held.value.samples[-1:])
            assert (newest[name].value, newest[name].version) == (only, held.version)
        kept: list[tuple[str, Stored[Pool] | Stored[Incident]]] = [*pools.items(), *incidents.items()]
        return {name: (held.value, held.version) for name, held in kept}

    async def plays(self, steps: list[tuple[str, int, int]]) -> None:
        for name, who, number in steps:
            step: Callable[[RedisStore, int], Awaitable[None]] = getattr(self, name)
            try:
                await step(self.stores[who], number)
            except Conflict:
                continue
        for store in self.stores:
            await self.reads(store, 0)

    async def ends(self) -> None:
        for store in self.stores:
            await store.aclose()
        self.client.close()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@example([("measures", 0, 0), ("loses", 0, 0), ("measures", 1, 2), ("claims", 0, 0)])
@given(st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 1), st.integers(0, 5)), min_size=4, max_size=25))
def test_a_process_reads_what_is_in_redis(redis_server: str, steps: list[tuple[str, int, int]]) -> None:
    async def story() -> None:
        told = Story(redis_server)
        try:
            await told.plays(steps)
        finally:
            await told.ends()

    asyncio.run(story())
