"""A pool's `alert_wait` opens and eases incidents without any alert source."""

from dataclasses import replace

import pytest

from bot.core.pool.pool import Pool, Snapshot
from bot.core.record import Change, Put, Stored
from bot.maintenance.alert_on_waits import alert_on_waits
from tests.builders import POOL
from tests.world import World

HOUR = 3600.0


def world_with(limit: float | None = HOUR) -> World:
    world = World()
    file = world.context.settings.file
    pool = file.pool[POOL].model_copy(update={"alert_wait": limit})
    file = file.model_copy(update={"pool": {**file.pool, POOL: pool}})
    world.context.settings = replace(world.context.settings, file=file)
    return world


async def measured(world: World, wait: float | None, age: float = 0.0) -> None:
    """The pool's newest sample, and then the duty."""
    held = await world.store.get(Pool, POOL) or Stored(Pool(POOL), 0)
    shot = Snapshot(POOL, world.clock.now() - age, queued=3, oldest_wait_seconds=wait)
    await world.store.commit(Change(puts=(Put(held, replace(held.value, samples=(shot,)), None),)))
    assert await alert_on_waits(world.context) == ""


async def test_an_incident_opens_after_the_limit_and_eases_below_it() -> None:
    world = world_with()
    await measured(world, HOUR - 1)
    assert not world.data.sets.get("open")
    for minutes in range(3):
        await measured(world, HOUR + 60 * minutes)
        world.clock.advance(60)
    assert len(world.data.sets["open"]) == 1
    assert world.incident.group.firing
    assert world.incident.group.alerts[0].starts_at == world.clock.now() - 180
    assert world.incident.pools.candidates == (POOL,)
    await measured(world, HOUR - 60)
    assert not world.incident.group.firing
    await measured(world, HOUR + 60)
    assert world.incident.group.firing


@pytest.mark.parametrize(("wait", "age"), [(None, 0.0), (0.0, 600.0)])
async def test_an_unknown_or_old_wait_changes_nothing(wait: float | None, age: float) -> None:
    world = world_with()
    await measured(world, 2 * HOUR)
    await measured(world, wait, age)
    assert world.incident.group.firing


async def test_without_a_limit_only_alerts_open_incidents() -> None:
    world = world_with(None)
    await measured(world, 5 * HOUR)
    assert not world.data.sets.get("open")
