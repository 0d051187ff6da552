"""What most journeys begin with: the alert of linux.2xlarge arrives, its thread opens, and somebody acknowledges."""

import time

from tests.journeys.alerts import queue_alert
from tests.journeys.setup import LINUX
from tests.journeys.world import World
from tests.said import acknowledged
from tests.slack_driver import Message


async def opened(world: World, queued: int = 14, minutes: float = 114, *, since: float | None = None) -> Message:
    """The parent of the new thread; so many jobs wait, the oldest for so long. `since`: when the alert fired first."""
    world.farm.queue(LINUX, queued, minutes)
    await world.fires(queue_alert(LINUX, started_at=time.time() - 60 if since is None else since))
    return await world.slack.channel("ci").parent(LINUX)


async def owned(parent: Message) -> None:
    """Ana acknowledges by the button, and the first message says so."""
    await parent.click("Acknowledge")
    await parent.until(acknowledged("U0ANA"))
