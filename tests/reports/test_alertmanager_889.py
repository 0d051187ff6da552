"""prometheus/alertmanager#889 and grafana/alerting#156: after a restart the API lists nothing until all is sent again.

Alerts are in memory alone. No webhook says that they still fire, because the log of notifications is kept.
"""

from pathlib import Path

import pytest

from bot.core.alert import GUESSED
from bot.core.incident.incident import State
from bot.incidents.intake import Taken
from bot.maintenance.resync import resync
from tests.builders import delivery
from tests.reports.senders import asked, sending
from tests.world import OTHER_POOL, World, spoken

KEY = '{alertname="Runner queue is long"}'


@pytest.mark.needs("alertmanager")
async def test_a_restart_ends_nothing(tmp_path: Path) -> None:
    async with sending(tmp_path) as sender:
        world, alert = sender.world, sender.alert(600)
        world.queues(14)
        await sender.hears(alert)
        await sender.told(Taken.OPENED)
        await world.passes(600, step=60)
        sender.restart()
        async with asked(sender):
            await resync(world.context)
            assert world.incident.group.firing
            await sender.hears(alert)
            for _ in range(2):
                await world.passes(300, step=60)
                await resync(world.context)
        assert (world.incident.state, len(world.incident.group.firing)) == (State.OPEN, 1)


async def test_nor_does_a_list_that_is_not_whole_yet(world: World) -> None:
    both = (spoken(), spoken("b", runner_label=OTHER_POOL))
    await world.opens(*both, group_key=f"{{}}:{KEY}")
    for alerts, firing in ((both[:1], 2), (both, 2), (both[:1], 2), (both[:1], 1)):
        world.clock.advance(300)
        world.alertmanager.active = (delivery(*alerts, group_key=f"{GUESSED}{KEY}"),)
        await resync(world.context)
        assert len(world.incident.group.firing) == firing
