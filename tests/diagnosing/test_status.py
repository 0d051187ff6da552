"""Status: the figures now, for the person who asks, and never an old one for a new one."""

from dataclasses import replace
from typing import Any

from bot.core.pool.history import PoolHistory, finished
from bot.core.pool.hour_stats import Amount, HourStats
from bot.core.pool.pool import Pool, Snapshot
from bot.core.record import Change, Put, Stored
from bot.views.words import refusals
from tests.builders import NOW, POOL
from tests.fakes import HangingMetrics
from tests.wording import queue
from tests.world import OTHER_POOL, World, refused, whisper


async def text(world: World, *words: str, **parts: Any) -> str:
    """What the person reads."""
    return whisper(await world.types("status", *words, **parts)).text


async def test_without_a_name_every_pool_is_shown(world: World) -> None:
    """Measured at once, when nothing fresh is known."""
    world.queues(14)
    answer = await text(world)
    assert f"{POOL}: {queue(14)}" in answer
    assert OTHER_POOL in answer
    assert world.metrics.script.count("snapshot") == 2


async def test_with_a_name_only_that_pool_is_shown(world: World) -> None:
    """And only that one is measured."""
    assert OTHER_POOL not in await text(world, POOL)
    assert world.metrics.script.count("snapshot") == 1


async def test_in_a_thread_the_incidents_pools_are_shown(world: World) -> None:
    await world.opens()
    assert OTHER_POOL not in whisper(await world.says("status")).text


async def test_those_who_ask_at_once_share_one_measurement(world: World) -> None:
    """Ten people ask about a pool, and the source is asked once; the answer is of now, not of the last poll."""
    await world.opens()
    before = world.metrics.script.count("snapshot")
    for _ in range(10):
        await text(world, POOL)
    assert world.metrics.script.count("snapshot") == before + 1


async def test_a_named_pool_is_measured_and_all_pools_only_where_they_are_stale(world: World) -> None:
    await world.opens(queued=14)
    world.queues(19)
    world.clock.advance(5)
    assert queue(14) in await text(world)
    assert queue(19) in await text(world, POOL)


async def test_of_many_pools_the_stale_ones_are_measured_that_the_answer_shows(world: World) -> None:
    """Twelve are shown, the worst first: a stale queue that is configured last is among them, an empty one is not."""
    file = world.context.settings.file
    names = [f"calm {number:02}" for number in range(15)] + ["long"]
    tables = dict.fromkeys(names, file.pool[OTHER_POOL])
    world.context.settings = replace(world.context.settings, file=file.model_copy(update={"pool": tables}))
    world.context.metrics = dict.fromkeys(names, world.metrics)
    for name in names:
        seen = Snapshot(name, NOW - 3600, queued=30 if name == "long" else 0, oldest_wait_seconds=60.0)
        known = Pool(name, (seen,) if name == "long" else (replace(seen, at=NOW),))
        await world.store.commit(Change(puts=(Put(Stored(known, 0), known, None),)))
        world.queues(40 if name == "long" else 0, pool=name)
    answer = await text(world)
    assert answer.startswith(f"long: {queue(40)}")
    assert world.metrics.script.count("snapshot") == 1


async def test_an_unknown_pool_is_named_with_those_there_are() -> None:
    """A typing error is answered with the way out."""
    await refused(refusals.unknown_pool("linux.9xlarge", [POOL, OTHER_POOL], POOL), text(World(), "linux.9xlarge"))


async def test_without_any_pool_the_remedy_is_said(world: World) -> None:
    world.context.settings = type(world.context.settings)(
        world.context.settings.env, type(world.context.settings.file)()
    )
    await refused(refusals.NO_POOL, text(world))


async def test_a_source_that_fails_is_unknown_and_not_empty(world: World) -> None:
    world.metrics.script.fail("*", times=None)
    answer = await text(world, POOL)
    assert "unknown" in answer
    assert "0 jobs" not in answer


async def test_a_source_that_hangs_does_not_keep_the_others_from_being_shown() -> None:
    """Each is waited for only as long as Slack's 3 s allow, and all at the same time."""

    world = World()
    world.context.making.patience_seconds = 0.3
    world.queues(14)
    world.context.metrics = {POOL: world.metrics, OTHER_POOL: HangingMetrics(world.clock)}
    answer = await text(world)
    assert f"{POOL}: {queue(14)}" in answer
    assert OTHER_POOL in answer
    assert f"{OTHER_POOL}: {queue(0)}" not in answer
    await world.context.making.close()


async def test_it_says_from_when_on_early_warnings_come(world: World) -> None:
    """Two weeks after the first known hour, until two weeks are known; not where they are switched off."""
    world.metrics.show(POOL, {"queued": 0, "oldest_wait_seconds": 0.0, "arrivals_per_minute": 5.0})
    first = int(NOW // 3600) - 24
    past = PoolHistory(POOL)
    known = finished(past, (HourStats(first, 60, 3600.0, Amount(300.0, 3600.0)),))
    await world.store.commit(Change(puts=(Put(Stored(past, 0), known, None),)))

    async def footer() -> str:
        return str(whisper(await world.types("status", POOL)).blocks)

    assert f"Early warnings start <!date^{(first + 336) * 3600}" in await footer()
    world.queues(14, arrivals_per_minute=5.0)
    world.clock.advance(600)
    assert "Early warnings" not in await footer(), "while jobs wait, it is beside the point"
    world.queues(0, arrivals_per_minute=5.0)
    world.clock.advance(600)
    assert "Early warnings" in await footer()
    world.configure(early={"enabled": False})
    assert "Early warnings" not in await footer()
    world.configure()
    world.metrics.show(POOL, {"queued": 0, "oldest_wait_seconds": 0.0})
    world.clock.advance(600)
    assert "Early warnings" not in await footer()
