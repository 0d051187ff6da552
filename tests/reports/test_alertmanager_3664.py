"""prometheus/alertmanager#3664 and grafana/grafana#87007: the end of an alert that resolves while muted is never told.

Not even when the silence is over, so that other receivers keep it open until somebody closes it.
"""

from pathlib import Path

import pytest

from bot.core.incident.details.events import IncidentEnded
from bot.core.incident.incident import State
from bot.incidents.intake import Taken
from bot.maintenance.resync import resync
from tests.reports.senders import asked, sending
from tests.reports.test_karma_6401 import PLANNED
from tests.world import World


@pytest.mark.needs("alertmanager")
async def test_the_end_is_read_from_the_api(tmp_path: Path) -> None:
    async with sending(tmp_path) as sender, asked(sender):
        world = sender.world
        world.queues(14)
        await sender.hears(sender.alert(600))
        await sender.told(Taken.OPENED)
        await sender.post("silences", {**PLANNED, "createdBy": "ana", "comment": "I am on it"})
        await sender.hears(sender.alert(-0.1))
        for _ in range(2):
            world.clock.advance(world.context.settings.file.timing.resync)
            await resync(world.context)
        assert (world.incident.state, world.incident.group.firing) == (State.EASING, ())


async def test_without_an_api_the_queue_ends_it_and_the_thread_says_that_the_alert_still_fires(world: World) -> None:
    world.context.alertmanagers = {}
    await world.opens()
    await world.passes(600)
    assert not world.incident.closed
    world.queues(0)
    await world.passes(600)
    assert world.incident.state is State.DRAINED
    (ended,) = world.details(IncidentEnded)
    assert ended.still_firing
