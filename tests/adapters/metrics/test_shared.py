"""Replicas share one round of a source, and another one takes over when its reader is gone."""

from typing import NoReturn

import pytest

from bot.adapters.metrics.shared import LAPSED, Shared
from bot.ports import Unreachable
from tests.fakes import FakeClock, FakeMetrics
from tests.fakes_store import FakeStore

EVERY, POOLS = 27.0, ("a", "b")


class Away(FakeStore):
    async def get(self, *_: object) -> NoReturn:
        raise Unreachable("Redis", "is away")


class Replicas:
    def __init__(self) -> None:
        self.clock = FakeClock(1_800_000_000.0)
        self.store = FakeStore(self.clock.now, self.clock.monotonic)
        self.sources = [FakeMetrics(self.clock), FakeMetrics(self.clock)]
        for source in self.sources:
            for pool in POOLS:
                source.show(pool, {"queued": 1})
        self.each = [Shared(source, self.store, self.clock.now, EVERY, POOLS, "github") for source in self.sources]

    def asked(self, number: int) -> int:
        return self.sources[number].script.count("snapshot")


async def test_the_second_process_uses_what_the_first_one_read() -> None:
    """With the time at which it was measured; an hour of both costs the calls of one."""
    world = Replicas()
    first, second = world.each
    mine = await first.snapshot("a")
    for _ in range(120):
        world.clock.advance(EVERY + 3)
        mine = await first.snapshot("a")
        theirs = await second.snapshot("b")
        assert (theirs.at, theirs.pool) == (mine.at, "b")
    assert world.asked(1) == 0


async def test_another_process_takes_over_when_the_reader_is_gone() -> None:
    """And the first one, when it comes back, uses the new reader's samples."""
    world = Replicas()
    first, second = world.each
    await first.snapshot("a")
    world.clock.advance(LAPSED * EVERY - 1)
    await second.snapshot("a")
    assert world.asked(1) == 0
    world.clock.advance(1)
    taken = await second.snapshot("a")
    assert (taken.at, world.asked(1) > 0) == (world.clock.now(), True)
    before = world.asked(0)
    assert (await first.snapshot("a")).at == taken.at
    assert world.asked(0) == before


async def test_without_the_store_or_without_an_answer_each_process_is_on_its_own() -> None:
    world = Replicas()
    world.sources[0].script.fail("snapshot", times=None)
    with pytest.raises(Unreachable, match="snapshot failed"):
        await world.each[0].snapshot("a")
    away = Shared(
        world.sources[1], Away(world.clock.now, world.clock.monotonic), world.clock.now, EVERY, POOLS, "github"
    )
    assert (await away.snapshot("a")).pool == "a"
