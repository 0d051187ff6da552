"""The same group fires again soon after the end: it goes on in the same thread."""

import time
from pathlib import Path

from tests.journeys.alerts import queue_alert
from tests.journeys.opening import opened
from tests.journeys.setup import LINUX
from tests.journeys.world import running


async def test_soon_again_goes_on_in_the_same_thread(tmp_path: Path, redis_url: str) -> None:
    async with running(tmp_path, redis_url) as world:
        began = time.time() - 600
        parent = await opened(world, since=began)
        await world.fires(queue_alert(LINUX, started_at=began, firing=False))
        world.farm.drain()
        await parent.until("DRAINED")
        world.farm.queue(LINUX, 30, 12)
        assert await world.fires(queue_alert(LINUX, started_at=began + 500)) == "joined"
        await parent.until("OPEN · P1")
        await parent.reply("The alert fired again")
        await parent.until(lambda shown: "Scale up" in shown.buttons)
        assert len(world.roots()) == 1
        await world.fires(queue_alert(LINUX, started_at=began + 500, firing=False))
        world.farm.drain()
        await parent.until("DRAINED")
