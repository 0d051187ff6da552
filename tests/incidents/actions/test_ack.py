"""Acknowledge: somebody has it, once, and everybody sees who."""

import asyncio

from bot.core.requests.interaction import Answer, Place
from bot.incidents.actions import ack
from bot.ports import Refused
from bot.views.words import refusals
from tests.builders import incident, view
from tests.wording import ack_entry, acknowledged
from tests.world import ANA, BEN, CAM, World, refused


def test_it_is_a_button_while_nobody_has_it_and_a_menu_entry_afterwards() -> None:
    free, taken = ack.ACTION.label(incident(), view()), ack.ACTION.label(incident(owner=ANA), view())
    assert free is not None
    assert taken is not None
    assert (free.text, free.place, free.primary) == ("Acknowledge", Place.BUTTON, True)
    assert (taken.text, taken.place) == ("Take over", Place.MENU)


async def test_the_parent_says_at_once_who_has_it(world: World) -> None:
    await world.opens()
    answer = await world.done(world.asks("ack", CAM))
    assert answer.whisper is None
    assert acknowledged(CAM) in str(world.parent.message.blocks)
    assert world.replies == [ack_entry(CAM)]
    assert [(entry.who, entry.what, entry.outcome) for _, entry, _ in world.data.trail] == [
        (CAM, "ack", "acknowledged")
    ]


async def test_somebody_who_has_it_need_not_take_it_again(world: World) -> None:
    await world.opens()
    await world.says("ack")
    await refused(refusals.ALREADY_YOURS, world.says("ack"))


async def test_an_end_in_the_same_moment_wins(world: World) -> None:
    """The click was judged while the incident was open, and is written after it has closed: it is refused."""
    await world.opens()
    over, refused = await asyncio.gather(
        world.asks("resolve", surface="dialog"), world.asks("ack", BEN), return_exceptions=True
    )
    assert over == Answer(about=world.incident.id)
    assert isinstance(refused, Refused)
    assert str(refused) == refusals.INCIDENT_OVER
    assert world.incident.ownership.owner is None
