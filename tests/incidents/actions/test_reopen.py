"""Reopen: a close by hand can be taken back for ten minutes, once, and the incident goes on where it was."""

import pytest

from bot.core.incident.incident import State
from bot.core.incident.reply_buttons import REOPEN_SECONDS
from bot.core.incident.timeline import Event
from bot.views.words import refusals
from tests.world import ANA, BEN, World, refused, spoken


async def closed(world: World) -> dict[str, str]:
    """An incident that somebody closed; the button that takes it back."""
    await world.opens()
    await world.done(world.says("ack"))
    await world.done(world.asks("resolve", BEN, surface="dialog"))
    (last,) = [entry for entry in world.incident.log.timeline if "reopen" in entry.choices]
    return {"request_id": last.about, "thread": world.incident.thread.root or ""}


@pytest.mark.parametrize("by_button", [True, False])
async def test_the_incident_goes_on_with_its_owner_and_its_buttons(world: World, by_button: bool) -> None:
    press = await closed(world)
    assert world.last.choices == ("reopen",)
    await world.done(world.asks("reopen", BEN, **press) if by_button else world.says("reopen", who=BEN))
    assert (world.incident.state, world.incident.ownership.owner) == (State.OPEN, ANA)
    last = world.last
    assert (last.event, last.who) == (Event.REOPENED, BEN)
    assert world.replies[-1].startswith(f"<@{BEN}> ")
    assert [block for block in world.parent.message.blocks if block["type"] == "actions"]
    assert not [entry for entry in world.incident.log.timeline if "reopen" in entry.choices]
    world.queues(0)
    await world.fires(spoken(firing=False))
    await world.passes(300, step=30)
    assert world.incident.state is State.DRAINED


async def test_whose_alert_has_resolved_waits_for_the_queue(world: World) -> None:
    await world.opens()
    await world.fires(spoken(firing=False))
    await world.done(world.asks("resolve", surface="dialog"))
    await world.says("reopen")
    assert world.incident.state is State.EASING


async def test_two_presses_reopen_once(world: World) -> None:
    press = await closed(world)
    await world.asks("reopen", BEN, **press)
    raised = await refused(refusals.already_requested(0.0), world.asks("reopen", ANA, **press))
    assert raised.who == BEN


async def test_what_is_open_is_not_reopened(world: World) -> None:
    await world.opens()
    await refused(refusals.STILL_OPEN, world.says("reopen"))


async def test_after_ten_minutes_the_button_is_gone_and_the_verb_refused(world: World) -> None:
    press = await closed(world)
    await world.passes(REOPEN_SECONDS + 30, step=60)
    assert not [block for block in world.thread[-1].blocks if block["type"] == "actions"]
    assert world.due() is None
    for attempt in (world.asks("reopen", **press), world.says("reopen")):
        await refused(refusals.NOT_TO_REOPEN, attempt)


async def test_closed_again_it_can_be_reopened_again(world: World) -> None:
    await world.asks("reopen", **await closed(world))
    await world.done(world.asks("resolve", surface="dialog"))
    await world.says("reopen")
    assert world.incident.state is State.OPEN


async def test_what_has_drained_is_not_reopened(world: World) -> None:
    await world.opens()
    world.queues(0)
    await world.fires(spoken(firing=False))
    await world.passes(300, step=30)
    await refused(refusals.NOT_TO_REOPEN, world.says("reopen"))


async def test_an_incident_whose_alert_has_a_newer_one_stays_closed() -> None:
    world = World(timing={"reopen_within": "0s"})
    press = await closed(world)
    root = world.incident.thread.root
    await world.passes(60)
    await world.fires(spoken(starts_at=world.clock.now()))
    await refused(refusals.NEWER_INCIDENT, world.asks("reopen", **press, message=root))
