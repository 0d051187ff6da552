"""A pool is due: one measurement serves all who watch it, a failure is kept, and nobody measures for nobody."""

from dataclasses import replace

import pytest

from bot.context import past
from bot.context.fleet import AT_ONCE
from bot.context.measure_now import NEEDS_RESTART, NO_SOURCE, measure_now
from bot.context.past import PAST_SECONDS
from bot.core.pool.pool import Pool
from bot.measuring.measure import wake_pools
from bot.pool_settings import PoolTable
from bot.ports import Failure
from tests.builders import NOW, POOL, sample
from tests.world import OTHER_POOL, World, spoken


def pool(world: World, name: str = POOL) -> Pool:
    found = world.data.rows[f"pool:{name}"].value
    assert isinstance(found, Pool)
    return found


async def test_one_measurement_serves_every_incident_that_names_the_pool(world: World) -> None:
    world.queues(14)
    for number in range(10):
        await world.fires(group_key=f"g{number}")
    await world.work()
    assert world.metrics.script.count("snapshot") == 1
    assert len(world.chat.parents()) == 10
    await world.passes(30, step=30)
    assert world.metrics.script.count("snapshot") == 2


async def test_a_pool_that_was_measured_a_moment_ago_only_wakes_the_new_incident(world: World) -> None:
    await world.opens(queued=14)
    world.clock.advance(5)
    await world.done(world.fires(group_key="another"))
    assert world.metrics.script.count("snapshot") == 1
    assert "14 jobs queued" in world.chat.parents()[1].message.text


async def test_a_look_that_fails_keeps_the_past_and_the_reason(world: World) -> None:
    """What was known stays, marked as old; the reason is the source's own; the next look comes in a poll period."""
    await world.opens(queued=14)
    world.metrics.script.fail("snapshot", Failure.UNCONNECTED, times=None)
    await world.passes(30, step=30)
    assert pool(world).latest == sample(14, at=NOW)
    assert pool(world).trouble == "Prometheus (fake): snapshot failed"
    assert world.due("pool") == 30.0
    world.metrics.script.heal()
    await world.passes(30, step=30)
    assert pool(world).trouble is None


async def test_a_pool_without_a_source_says_so(world: World) -> None:
    """Unknown is not zero, and the remedy is in the words."""
    world.context.metrics = {}
    await world.done(world.fires())
    assert pool(world).samples == ()
    assert pool(world).trouble == NO_SOURCE
    table = PoolTable.model_validate({"queued": "q"})
    file = world.context.settings.file.model_copy(update={"pool": {POOL: table}})
    world.context.settings = replace(world.context.settings, file=file)
    found = await measure_now(world.context, pool(world))
    assert found.trouble == NEEDS_RESTART, "its table came while it ran"


async def test_an_incident_starts_with_the_pools_past_where_the_source_has_one(world: World) -> None:
    """Two hours of it, asked for once: an alert that takes half an hour to fire has a before to be compared with."""
    known = tuple(sample(n, at=NOW - 900 + n * 60) for n in range(10))
    world.metrics.past[POOL] = (sample(99, at=NOW - PAST_SECONDS - 60), *known)
    await world.opens(queued=14)
    assert pool(world).samples[:-1] == known
    await world.passes(60, step=30)
    assert world.metrics.script.count("history") == 1


async def test_a_past_that_comes_late_joins_at_once_and_not_with_the_next_measurement(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A thousand pools begin together: their history is there within the minute, and no pool is measured twice."""
    monkeypatch.setattr(past, "QUICK_SECONDS", 0.0)
    world = World()
    world.metrics.past[POOL] = known = tuple(sample(n, at=NOW - 900 + n * 60) for n in range(10))
    await world.opens(queued=14)
    assert pool(world).samples == (*known, sample(14, at=NOW))
    assert world.metrics.script.count("snapshot") == 1
    assert world.due("pool") == 30.0


async def test_a_start_spreads_its_questions_over_one_watch_period() -> None:
    """Each of a large fleet is asked for once in it, some at a time, and at the same place in the next one."""
    names = [f"pool-{number:02}" for number in range(40)]
    world = World(pool={name: {} for name in names}, timing={"watch": "60s"})
    world.context.metrics = dict.fromkeys(names, world.metrics)
    for name in names:
        world.metrics.show(name, {"queued": 0, "oldest_wait_seconds": 0.0})
    world.context.health.resumed_at = world.clock.now()
    await wake_pools(world.context)
    await world.work()
    requests = [world.metrics.script.count("snapshot")]
    for _ in range(24):
        await world.passes(5, step=5)
        requests.append(world.metrics.script.count("snapshot"))
    assert (requests[11], requests[23]) == (40, 80)
    assert max(after - before for before, after in zip([0, *requests], requests, strict=False)) <= AT_ONCE


async def test_measuring_stops_when_nobody_watches_and_no_watch_is_wanted() -> None:
    """With `watch = "0s"`, after the end the pool is looked at once more, found unwatched, and left alone."""
    world = await World.opened(timing={"watch": "0s"})
    await world.done(world.asks("resolve", surface="dialog"))
    before = world.metrics.script.count("snapshot")
    await world.passes(120, step=30)
    assert world.metrics.script.count("snapshot") == before
    assert world.due("pool") is None


async def test_a_source_that_lags_is_not_asked_without_a_pause(world: World) -> None:
    """A sample with an old time of its own does not make the next look due at once."""
    world.metrics.show(POOL, *(sample(14, at=NOW - 300 + n) for n in range(100)))
    await world.done(world.fires())
    assert world.metrics.script.count("snapshot") == 1
    assert world.due("pool") == 30.0


async def test_the_pools_are_measured_apart(world: World) -> None:
    world.metrics.show(POOL, {"queued": 5})
    await world.fires(spoken("a1"), spoken("a2", runner_label=OTHER_POOL))
    world.context.metrics = {POOL: world.metrics}
    await world.work()
    assert (pool(world).trouble, pool(world, OTHER_POOL).latest) == (None, None)
