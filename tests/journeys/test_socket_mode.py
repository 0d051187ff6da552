"""Socket Mode when the way to Slack is not open at once, or is lost: Tailback works on and connects by itself."""

import asyncio
import contextlib
import time
from pathlib import Path

from tests.journeys.alerts import queue_alert
from tests.journeys.setup import LINUX, Setup
from tests.journeys.world import product, surroundings
from tests.patience import PATIENCE_SECONDS
from tests.said import acknowledged
from tests.slack_driver import RefusedError

SOCKETS = Setup(socket_mode=True)


async def test_an_address_that_does_not_work_is_not_tried_for_ever(tmp_path: Path, redis_url: str) -> None:
    """The first address leads nowhere: alerts are worked on, /readyz says so, and a fresh one is asked for."""
    async with surroundings(tmp_path, SOCKETS) as world:
        hold = world.stand_in.faults.hold("apps.connections.open", after_effect=True)
        async with product(world, SOCKETS, redis_url):
            await asyncio.wait_for(hold.reached.wait(), PATIENCE_SECONDS)
            await world.stand_in.sockets.close()
            hold.release()
            world.farm.queue(LINUX, 14, 40)
            await world.fires(queue_alert(LINUX, started_at=time.time() - 60))
            parent = await world.slack.channel("ci").parent(LINUX)
            ready = await world.ask("/readyz")
            assert (ready.status_code, ready.json()["degraded"]) == (200, True)
            assert "Socket Mode" in ready.json()["dependencies"]["socket_mode"]["why"]
            await world.eventually(lambda: world.stand_in.sockets.connections == 1, "a connection")
            await parent.click("Acknowledge")
            await parent.until(acknowledged("U0ANA"))
            await world.until_ready()


async def test_a_connection_that_slack_ends_is_made_again(tmp_path: Path, redis_url: str) -> None:
    """Slack asks every connection to move now and then: afterwards clicks work as before.

    The SDK may connect twice, once for the request to move and once for the end of the old connection. A click in
    between fails, Slack says so, and people press again.
    """
    async with surroundings(tmp_path, SOCKETS) as world, product(world, SOCKETS, redis_url):
        world.farm.queue(LINUX, 14, 40)
        await world.fires(queue_alert(LINUX, started_at=time.time() - 60))
        parent = await world.slack.channel("ci").parent(LINUX)
        await world.eventually(lambda: world.stand_in.sockets.connections == 1, "a connection")
        await world.stand_in.sockets.disconnect()
        opened = "apps.connections.open"
        await world.eventually(lambda: len(world.stand_in.log.of(opened)) >= 2, "a new address asked for")
        await world.eventually(lambda: world.stand_in.sockets.connections == 1, "a new connection")
        with contextlib.suppress(RefusedError):
            await parent.click("Acknowledge", stale=True)
        await asyncio.sleep(0.5)
        await parent.click("Acknowledge", stale=True)
        await parent.until(acknowledged("U0ANA"))
