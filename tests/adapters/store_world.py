"""The servers that every store test runs on, by a time that the test controls: the fake, Valkey and an older Redis."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from hashlib import sha1
from typing import Any

import redis

from bot.adapters.redis.calls import RedisLink, Reply, Word
from bot.adapters.redis.clock import StoreClock
from bot.adapters.redis.commit import Clocks
from bot.adapters.redis.connect import Clients, connect
from bot.adapters.redis.scripts import Script
from bot.adapters.redis.store import RedisStore
from bot.core.alert import Kind
from bot.core.incident.incident import Incident, Thread
from bot.core.incident.membership import AlertGroup
from bot.core.record import Claim, Put, Record, Stored
from tests.builders import with_fields
from tests.fakes_store import FakeData, FakeStore

LEASE = 10.0
CLOCK = "{tailback}:test_time"
"""Holds the time of the test on a real server."""
AnyStore = RedisStore | FakeStore


def incident(name: str = "i1", **changed: Any) -> Incident:
    group = AlertGroup(f"key-{name}", "grafana", "r", "{}", "Queue is long", Kind.QUEUE)
    return with_fields(Incident(name, group, 100.0, Thread("C1")), **changed)


def new(value: Record, due: float | None = None, **more: Any) -> Put:
    return Put(Stored(value, 0), value, due, **more)


@cache
def timed(script: Script) -> Script:
    """The same script, but it reads the time of the test instead of the server's."""
    text = script.text.replace("redis.call('TIME')", f"redis.call('HMGET', '{CLOCK}', 's', 'us')")
    return replace(script, text=text, sha=sha1(text.encode(), usedforsecurity=False).hexdigest())


class TimedLink(RedisLink):
    async def run(self, script: Script, keys: Sequence[str], args: Sequence[Word]) -> Sequence[Reply]:
        return await super().run(timed(script), keys, args)


class TimedStore(RedisStore):
    def __init__(self, clients: Clients, clocks: Clocks, *, lease_seconds: float) -> None:
        super().__init__(clients, clocks, lease_seconds=lease_seconds)
        self._link = TimedLink(clients.requests)
        self.clock = StoreClock(self._link, clocks)


@dataclass
class World:
    """A server, or what stands for one, with its stores and its time, which moves only when it is told to."""

    url: str | None
    data: FakeData = field(default_factory=FakeData)
    stores: list[AnyStore] = field(default_factory=list)
    clock: float = 1_700_000_000.0

    @cached_property
    def server(self) -> redis.Redis | None:
        return None if self.url is None else redis.Redis.from_url(self.url)

    def __post_init__(self) -> None:
        if self.server is not None:
            self.server.flushall()
            self.at(self.clock)

    def store(self) -> AnyStore:
        if self.url is None:
            made: AnyStore = FakeStore(self.now, self.now, data=self.data, lease_seconds=LEASE)
        else:
            made = TimedStore(connect(self.url), Clocks(self.now, self.now), lease_seconds=LEASE)
        self.stores.append(made)
        return made

    def now(self) -> float:
        return self.clock

    def at(self, clock: float) -> None:
        """Put the time; what Redis forgets by itself does not follow."""
        self.clock, milliseconds = clock, round(clock * 1000)
        if self.server is not None:
            self.server.hset(CLOCK, mapping={"s": milliseconds // 1000, "us": milliseconds % 1000 * 1000})

    def passes(self, seconds: float) -> None:
        self.at(self.clock + seconds)
        for key in self.server.scan_iter() if self.server is not None else ():
            if self.server is not None and (left := self.server.pttl(key)) > 0:
                self.server.pexpire(key, max(0, left - round(seconds * 1000)))

    async def aclose(self) -> None:
        for store in self.stores:
            await store.aclose()
        if self.server is not None:
            self.server.close()


async def one(store: AnyStore) -> Claim:
    (claim,) = (await store.claim(10)).claims
    return claim


async def held(store: AnyStore) -> Stored[Record]:
    claim = await one(store)
    assert claim.held is not None
    return claim.held
