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


async def test_it_turns_status_replies_off_and_on_again(world: World) -> None:
    await world.opens()
    await world.done(world.asks("mute"))
    assert world.incident.ownership.muted
    assert "Updates in the thread are muted" in str(world.parent.message.blocks)
    await world.asks("mute")
    assert not world.incident.ownership.muted
    assert [entry.event for entry in world.incident.log.timeline][1:] == [Event.MUTED, Event.UNMUTED]
