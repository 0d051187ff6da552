"""A hand-over is declined: the owner before owns the incident again, and is told."""

from bot.core.incident.details.people import HandoverDeclined
from bot.core.incident.timeline import Event
from bot.views.words import refusals
from tests.people.test_handover import declines, hands_over, value_of
from tests.world import ANA, BEN, CAM, World, refused


async def test_declined_it_belongs_to_the_owner_before_who_is_told(world: World) -> None:
    await world.opens()
    await world.done(world.asks("ack"))
    await hands_over(world)
    await declines(world)
    assert (world.incident.ownership.owner, world.incident.ownership.handed_by) == (ANA, None)
    (message,) = world.direct(ANA)
    assert message.startswith(f"<@{BEN}>")
    assert f"<@{BEN}>" in world.replies[-1]
    assert f"<@{ANA}>" in world.replies[-1]
    entry = world.incident.log.timeline[-1]
    assert (entry.event, entry.who, entry.details) == (Event.HANDOVER_DECLINED, BEN, HandoverDeclined(ANA))
    await refused(refusals.ALREADY_DECIDED, declines(world))


async def test_without_an_owner_before_nobody_owns_it_and_the_group_is_called(world: World) -> None:
    """Ben hands to Cam what nobody had acknowledged; he is told too."""
    await world.opens()
    await hands_over(world, CAM, BEN)
    await declines(world, CAM)
    assert world.incident.ownership.owner is None
    assert len(world.direct(BEN)) == 1
    assert world.incident.log.timeline[-1].details == HandoverDeclined(None)
    assert "<!subteam^S0ONCALL>" in world.replies[-1]
    await world.passes(world.context.settings.file.timing.escalate_after + 30, 465)
    assert world.incident.ownership.escalated_at is not None


async def test_the_thread_has_the_button_too(world: World) -> None:
    """A direct message may not arrive; the reply mentions the person anyway."""
    world.chat.channels = None
    await world.opens()
    await hands_over(world)
    *_, shown = world.chat.thread(world.incident.thread.root or "")
    pressed = {"thread": world.incident.thread.root, "message": shown.ts, "request_id": value_of(shown)}
    await refused(refusals.NOT_HANDED_TO_YOU, world.asks("decline_handover", CAM, **pressed))
    await world.done(world.asks("decline_handover", BEN, **pressed))
    assert "actions" not in [block["type"] for block in shown.message.blocks]
    assert "Declined." in str(shown.message.blocks)


async def test_handed_on_only_the_last_one_can_decline(world: World) -> None:
    await world.opens()
    await hands_over(world)
    await hands_over(world, CAM, BEN)
    await refused(refusals.ALREADY_DECIDED, declines(world))
    await declines(world, CAM)
    assert world.incident.ownership.owner == BEN
