"""Replicas share one round of a source, and another one takes over when its reader is gone."""

import asyncio
from typing import NoReturn

import httpx
import pytest

from bot.adapters.build_context import TimeLimits
from bot.adapters.http.client import HttpPool
from bot.adapters.integrations import build
from bot.adapters.metrics.shared import LAPSED, Shared
from bot.adapters.registry import METRICS
from bot.config import File, Settings, load
from bot.core.pool.pool import Snapshot
from bot.core.record import SourceRound, Stored
from bot.ports import Unreachable
from tests.fakes import FakeClock, FakeMetrics
from tests.fakes_store import FakeStore
from tests.virtual_time import LoopClock, run

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

    async def read(self, number: int, pool: str) -> Snapshot:
        """By one process, until its round is published."""
        found = await self.each[number].snapshot(pool)
        await asyncio.gather(*asyncio.all_tasks() - {asyncio.current_task()})
        return found

    def reads(self, number: int) -> int:
        return self.sources[number].script.count("snapshot")


async def test_the_second_process_uses_what_the_first_one_read() -> None:
    """With the time at which it was measured; an hour of both costs the calls of one."""
    world = Replicas()
    mine = await world.read(0, "a")
    for _ in range(120):
        world.clock.advance(EVERY + 3)
        mine = await world.read(0, "a")
        theirs = await world.read(1, "b")
        assert (theirs.at, theirs.pool) == (mine.at, "b")
    assert world.reads(1) == 0


async def test_a_round_publishes_what_was_just_taken() -> None:
    """Once, by one task: the source is asked again only for the pools that other processes measure."""
    world = Replicas()
    await asyncio.gather(*(world.each[0].snapshot(pool) for pool in POOLS))
    assert (await world.read(0, "a"), world.reads(0)) == (await world.read(1, "a"), 3)
    assert world.reads(1) == 0


async def test_a_round_is_read_once_for_all_pools_that_look_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """It has the samples of all of them: read for each of 500 pools it would be megabytes a second."""
    world, reads, plain = Replicas(), [0], FakeStore.get
    await world.read(0, "a")

    async def count_reads(store: FakeStore, kind: type[SourceRound], name: str) -> Stored[SourceRound] | None:
        reads[0] += 1
        return await plain(store, kind, name)

    monkeypatch.setattr(FakeStore, "get", count_reads)
    world.clock.advance(3)
    for process in world.each:
        await asyncio.gather(*(process.snapshot(pool) for pool in POOLS for _ in range(20)))
    assert reads[0] == 2


async def test_another_process_takes_over_when_the_reader_is_gone() -> None:
    """And the first one, when it comes back, uses the new reader's samples."""
    world = Replicas()
    await world.read(0, "a")
    world.clock.advance(LAPSED * EVERY - 1)
    await world.read(1, "a")
    assert world.reads(1) == 0
    world.clock.advance(1)
    taken = await world.read(1, "a")
    assert (taken.at, world.reads(1) > 0) == (world.clock.now(), True)
    before = world.reads(0)
    assert (await world.read(0, "a")).at == taken.at
    assert world.reads(0) == before


HUNG = {
    "github": ("/orgs/o/actions/runners", {"organizations": ["o"], "repositories": ["o/r"], "token_env": "T"}),
    "hud": ("/api/clickhouse/all_machine_types", {}),
}
"""For each shared source: a listing that never answers, and its table."""


@pytest.mark.parametrize("kind", HUNG)
def test_a_listing_that_hangs_holds_back_no_measurement(kind: str) -> None:
    """Patience is not added up: a claim lasts 10 s, and the pools of a fleet share its workers."""
    path, table = HUNG[kind]

    async def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path == path:
            await asyncio.Event().wait()
        if "clickhouse" in request.url.path:
            return httpx.Response(200, json=[])
        return httpx.Response(200, json={"runners": [], "groups": [], "totalRunners": 0, "workflow_runs": []})

    async def story() -> float:
        clock = LoopClock(1_800_000_000.0)
        store = FakeStore(clock.now, clock.monotonic)
        file = {"metrics": {"it": {"kind": kind, **table}}, "pool": {name: {"metrics": "it"} for name in POOLS}}
        given = Settings(load({}).env, File.model_validate(file), {"T": "t"})
        built = build(given, clock.now, HttpPool(httpx.MockTransport(answer)), store=store)
        reads = (built.metrics[name].snapshot(name) for name in POOLS)
        await asyncio.gather(*reads, return_exceptions=True)
        return asyncio.get_running_loop().time()

    assert {kind for kind, source in METRICS.items() if source.shared} == set(HUNG)
    assert run(story()) <= TimeLimits().reading


async def test_without_the_store_or_without_an_answer_each_process_is_on_its_own() -> None:
    world = Replicas()
    world.sources[0].script.fail("snapshot", times=None)
    with pytest.raises(Unreachable, match="snapshot failed"):
        await world.each[0].snapshot("a")
    away = Shared(
        world.sources[1], Away(world.clock.now, world.clock.monotonic), world.clock.now, EVERY, POOLS, "github"
    )
    assert (await away.snapshot("a")).pool == "a"
