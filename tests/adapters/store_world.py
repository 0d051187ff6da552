"""The servers that every store test runs on: the fake, the bundled Valkey and an older Redis."""

import asyncio
import time
from dataclasses import dataclass, field
from typing import Any

from bot.adapters.redis.commit import Clocks
from bot.adapters.redis.connect import connect
from bot.adapters.redis.store import RedisStore
from bot.core.alert import Kind
from bot.core.incident.incident import Incident, Thread
from bot.core.incident.membership import AlertGroup
from bot.core.record import Claim, Put, Record, Stored
from tests.builders import with_fields
from tests.fakes_store import FakeData, FakeStore

LEASE = 0.3
AnyStore = RedisStore | FakeStore


def incident(name: str = "i1", **changed: Any) -> Incident:
    group = AlertGroup(f"key-{name}", "grafana", "r", "{}", "Queue is long", Kind.QUEUE)
    return with_fields(Incident(name, group, 100.0, Thread("C1")), **changed)


def new(value: Record, due: float | None = None, **more: Any) -> Put:
    """A put of a record that must not exist yet."""
    return Put(Stored(value, 0), value, due, **more)


@dataclass
class World:
    """A server, or what stands for one, with its stores and its time."""

    url: str | None
    data: FakeData = field(default_factory=FakeData)
    stores: list[AnyStore] = field(default_factory=list)
    clock: float = 1_700_000_000.0

    def store(self, lease: float = LEASE) -> AnyStore:
        """One more process on the same server."""
        if self.url is None:
            made: AnyStore = FakeStore(self.now, self.now, data=self.data, lease_seconds=lease)
        else:
            made = RedisStore(connect(self.url), Clocks(time.time, time.monotonic), lease_seconds=lease)
        self.stores.append(made)
        return made

    def now(self) -> float:
        return self.clock if self.url is None else time.time()

    async def passes(self, seconds: float) -> None:
        """Time goes by: really for a server, by hand for the fake."""
        self.clock += seconds
        await asyncio.sleep(seconds if self.url else 0)


async def one(store: AnyStore) -> Claim:
    """The only record that is due."""
    (claim,) = (await store.claim(10)).claims
    return claim


async def held(store: AnyStore) -> Stored[Record]:
    claim = await one(store)
    assert claim.held is not None
    return claim.held
