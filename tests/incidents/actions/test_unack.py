"""Whoever acts on an incident has acknowledged it, until they say "Not me"."""

import pytest

from bot.core.incident.timeline import Event
from bot.incidents.actions import unack
from bot.views.words import refusals
from tests.wording import queue
from tests.world import ANA, BEN, World, refused


async def acted(action: str) -> World:
    world = await World.opened()
    if action == "silence":
        await world.silences()
    else:
        await world.wants(24)
    await world.work()
    return world


@pytest.mark.parametrize("action", ["silence", "scale_up"])
async def test_acting_acknowledges_and_not_me_takes_it_back(action: str) -> None:
    """The button stands where Acknowledge was; it is for the owner alone."""
    world = await acted(action)
    assert world.incident.ownership.owner == ANA
    labels = [one.label for one in world.context.offers(world.incident, await world.context.view(world.incident))]
    assert "Not me" in labels
    assert "Acknowledge" not in labels
    await refused(refusals.NOT_THE_OWNER, world.asks("unack", BEN))
    await world.done(world.asks("unack", ANA))
    assert world.incident.ownership.owner is None
    assert (world.last.event, world.last.who) == (Event.UNACKED, ANA)
    assert queue(14) in world.replies[-1]
    assert world.replies[-1].endswith(" <!subteam^S0ONCALL>"), "as at its opening"
    assert unack.ACTION.label(world.incident, await world.context.view(world.incident)) is None


async def test_an_owner_stays_and_may_take_a_plain_acknowledgement_back_in_words(world: World) -> None:
    await world.opens()
    await world.asks("ack", BEN)
    await world.silences()
    assert world.incident.ownership.owner == BEN
    await world.types("unack", who=BEN)
    assert world.incident.ownership.owner is None
