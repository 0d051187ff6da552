"""prometheus/alertmanager#3112 and #4567: a label that is a number makes another alert at every evaluation.

Each end is told with the next firing, and again with later ones.
"""

from pathlib import Path

import pytest

from bot.core.incident.details.events import AlertsJoined
from bot.core.incident.incident import State
from bot.incidents.intake import Taken
from tests.reports.fleet import shown
from tests.reports.senders import sending
from tests.world import OTHER_POOL, World, spoken


@pytest.mark.needs("alertmanager")
async def test_the_thread_is_not_told_of_each_value(tmp_path: Path) -> None:
    async with sending(tmp_path) as sender:
        world = sender.world
        world.queues(14)
        await sender.hears(sender.alert(600, value="82"))
        await sender.told(Taken.OPENED)
        for number in range(83, 86):
            before = sender.alert(-0.1, value=f"{number - 1}")
            await sender.hears(before, sender.alert(600, since=60 - number / 10, value=f"{number}"))
            await sender.told(Taken.JOINED)
        assert (world.incident.state, len(world.incident.group.firing)) == (State.OPEN, 1)
        assert {one.new for one in world.details(AlertsJoined)} == {()}
        assert world.replies == []


async def test_another_pool_that_follows_on_one_that_has_ended_is_told(world: World) -> None:
    await world.opens(spoken(value="82"))
    await world.done(world.fires(spoken(value="82", firing=False), spoken("b", value="9", runner_label=OTHER_POOL)))
    assert [len(one.new) for one in world.details(AlertsJoined)] == [1]


async def test_ends_that_have_no_room_are_not_counted_as_alerts(world: World) -> None:
    await world.opens(spoken("v-1", value="-1"))
    for number in range(60):
        before = spoken(f"v{number - 1}", firing=False, value=f"{number - 1}")
        await world.done(world.fires(before, spoken(f"v{number}", value=f"{number}")))
    assert world.incident.group.truncated == 0
    assert "left out" not in shown(world.parent.message)
