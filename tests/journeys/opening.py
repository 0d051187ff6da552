"""How most journeys begin: the alert of linux.2xlarge arrives, and its thread opens."""

import time

from tests.journeys.alerts import queue_alert
from tests.journeys.setup import LINUX
from tests.journeys.world import World
from tests.patience import PATIENCE_SECONDS
from tests.slack_driver import Message


async def opened(world: World, within: float = PATIENCE_SECONDS) -> Message:
    """The parent of the new thread, at the latest after `within` seconds."""
    await world.fires(queue_alert(LINUX, started_at=time.time() - 60))
    return await world.slack.channel("ci").parent(LINUX, within)
