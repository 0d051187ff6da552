"""Mute updates: one entry that turns around, and says what it will do."""

import pytest

from bot.core.incident.timeline import Event
from bot.incidents.actions import mute
from tests.builders import incident, view
from tests.world import World


@pytest.mark.parametrize(("muted", "label"), [(False, "Mute updates"), (True, "Resume updates")])
def test_the_entry_says_what_it_will_do(muted: bool, label: str) -> None:
    found = mute.ACTION.label(incident(muted=muted), view())
    assert found is not None
    assert found.text == label


async def test_it_turns_status_replies_off_and_on_again_and_the_parent_stays_true(world: World) -> None:
    await world.opens(queued=10)
    await world.done(world.asks("mute"))
    assert world.incident.ownership.muted
    assert "Updates in the thread are muted" in str(world.parent.message.blocks)
    world.queues(40)
    await world.passes(600, step=30)
    assert world.replies == []
    assert "40 jobs queued" in world.parent.message.text
    await world.asks("mute")
    assert not world.incident.ownership.muted
    events = [entry.event for entry in world.incident.log.timeline]
    assert [one for one in events if one in {Event.MUTED, Event.UNMUTED}] == [Event.MUTED, Event.UNMUTED]
