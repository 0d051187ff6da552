"""Present figures come first: a source that is slow about the past delays no measurement of any pool."""

import asyncio
import time

import pytest

from bot.context import past
from bot.context.measure_now import measure_now
from bot.core.pool.pool import Pool, Snapshot
from bot.ports import Unreachable
from tests.builders import NOW, POOL, sample
from tests.world import World

POOLS = [f"pool{number}" for number in range(40)]


class SlowPast:
    """A source whose history is answered when the test says so."""

    def __init__(self) -> None:
        self.gate, self.asked, self.most = asyncio.Event(), 0, 0
        self.problem: Unreachable | None = None

    async def snapshot(self, pool: str) -> Snapshot:
        return sample(14, pool=pool, at=NOW)

    async def history(self, pool: str, *_: object) -> tuple[Snapshot, ...]:
        self.asked += 1
        self.most = max(self.most, self.asked)
        await self.gate.wait()
        self.asked -= 1
        if self.problem:
            raise self.problem
        return tuple(sample(n, pool=pool, at=NOW - 600 + 60 * n) for n in range(10))


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The short wait for a quick source is not what these tests are about."""
    monkeypatch.setattr(past, "QUICK_SECONDS", 0.01)


async def test_forty_pools_are_known_at_once_while_their_past_is_still_read() -> None:
    world, source = World(), SlowPast()
    world.context.metrics = dict.fromkeys(POOLS, source)
    began = time.monotonic()
    first = await asyncio.gather(*(measure_now(world.context, Pool(name)) for name in POOLS))
    assert [pool.latest for pool in first] == [sample(14, pool=name, at=NOW) for name in POOLS]
    assert [len(pool.samples) for pool in first] == [1] * 40
    assert time.monotonic() - began < 5
    source.gate.set()
    for _ in range(40):
        await asyncio.sleep(0)
    again = await asyncio.gather(*(measure_now(world.context, pool) for pool in first))
    assert {tuple(one.queued for one in pool.samples) for pool in again} == {(*range(10), 14)}
    assert source.most == past.AT_ONCE
    assert not any(world.context.past.pending(name) for name in POOLS)


async def test_few_histories_wait_in_memory_and_every_pool_gets_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand pools that start at once would hold 200 MB; those that must wait ask with their next measurement."""
    monkeypatch.setattr(past, "MOST_HELD", 10)
    world, source = World(), SlowPast()
    source.gate.set()
    monkeypatch.setattr(past, "QUICK_SECONDS", 0.0)
    world.context.metrics = dict.fromkeys(POOLS, source)
    pools = [Pool(name) for name in POOLS]
    for _ in range(8):
        pools = [await measure_now(world.context, pool) for pool in pools]
        assert len(world.context.past.tasks) <= 10
        await asyncio.sleep(0.01)
        world.clock.advance(60)
    assert {len(pool.samples) >= 10 for pool in pools} == {True}
    await measure_now(world.context, Pool(POOLS[0]))
    world.context.past.drop(POOLS[0])
    assert not world.context.past.pending(POOLS[0])


async def test_a_past_that_cannot_be_read_costs_nothing_but_itself() -> None:
    world, source = World(), SlowPast()
    source.gate.set()
    source.problem = Unreachable("Prometheus", "is too slow")
    world.context.metrics = {POOL: source}
    pool = await measure_now(world.context, Pool(POOL))
    assert (len(pool.samples), pool.trouble) == (1, None)


async def test_what_is_still_read_at_the_end_ends_with_the_process() -> None:
    world, source = World(), SlowPast()
    world.context.metrics = {POOL: source}
    await measure_now(world.context, Pool(POOL))
    await world.context.past.close()
    assert [task.cancelled() for task in world.context.past.tasks.values()] == [True]
