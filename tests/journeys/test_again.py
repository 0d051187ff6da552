"""An alert that fires again: soon, in the same thread; much later, in a new one."""

import asyncio
import time
from pathlib import Path

from tests.journeys.alerts import queue_alert
from tests.journeys.setup import LINUX, Setup
from tests.journeys.world import World, running


async def lived_through(world: World, began: float) -> None:
    world.farm.queue(LINUX, 14, 40)
    await world.fires(queue_alert(LINUX, started_at=began))
    parent = await world.slack.channel("ci").parent(LINUX)
    await world.fires(queue_alert(LINUX, started_at=began, firing=False))
    world.farm.drain()
    await parent.until("DRAINED")


async def test_soon_again_goes_on_in_the_same_thread(tmp_path: Path, redis_url: str) -> None:
    async with running(tmp_path, redis_url) as world:
        began = time.time() - 600
        await lived_through(world, began)
        world.farm.queue(LINUX, 30, 12)
        assert await world.fires(queue_alert(LINUX, started_at=began + 500)) == "joined"
        parent = await world.slack.channel("ci").parent(LINUX)
        await parent.until("OPEN · P1")
        await parent.reply("The alert fired again")
        await parent.until(lambda shown: "Scale up" in shown.buttons)
        assert len(world.roots()) == 1
        await world.fires(queue_alert(LINUX, started_at=began + 500, firing=False))
        world.farm.drain()
        await parent.until("DRAINED")


async def test_much_later_is_a_new_thread(tmp_path: Path, redis_url: str) -> None:
    async with running(tmp_path, redis_url, Setup(reopen_within="500ms")) as world:
        began = time.time() - 600
        await lived_through(world, began)
        first = await world.slack.channel("ci").parent("DRAINED")
        await asyncio.sleep(0.6)
        world.farm.queue(LINUX, 30, 12)
        assert await world.fires(queue_alert(LINUX, started_at=began + 500)) == "opened"
        second = await world.slack.channel("ci").parent("OPEN · P1")
        assert second.ts != first.ts
        assert len(world.roots()) == 2
        assert "DRAINED" in (await first.read()).text
