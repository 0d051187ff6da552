"""What becomes of an incident whose first message is deleted, cannot be edited, or is left behind."""

import pytest

from bot.adapters.slack.failures import BY_CODE
from bot.core.incident.details.events import Escalated, Note, Noted
from bot.ports import Failure
from bot.views.thread.results import returned_to_channel
from tests.builders import CHANNEL
from tests.world import World

OPS = "C0OPS"


@pytest.fixture
async def world() -> World:
    return await World.opened(slack={"fallback_channel": OPS})


async def deleted(world: World) -> None:
    """Somebody deletes the first message, and the queue changes."""
    world.chat.delete(world.incident.thread.channel, world.incident.thread.root or "")
    world.queues(40)
    await world.passes(60, step=10)


async def test_the_second_deletion_leads_to_the_fallback_channel_with_the_reason(world: World) -> None:
    """It was an hour of nothing: no escalation, no drain, and commands that point to a thread that is not there."""
    await deleted(world)
    assert world.incident.thread.channel == CHANNEL
    world.chat.delete(CHANNEL, world.incident.thread.root or "")
    world.queues(80)
    await world.passes(60, step=10)
    assert (world.incident.thread.channel, world.incident.thread.instead_of) == (OPS, CHANNEL)
    assert "its first message in" in str(world.parent.message.blocks)
    assert Noted(Note.DELETED_AGAIN) in world.details(Noted)
    await world.passes(16 * 60, step=60)
    assert len(world.details(Escalated)) == 1


@pytest.mark.parametrize("code", ["edit_window_closed", "cant_update_message"])
async def test_what_cannot_be_edited_is_not_deleted(world: World, code: str) -> None:
    """No second thread: the replies go on in this one, and one of them says why the figures above are old."""
    failure = BY_CODE[code]
    assert failure is Failure.UNEDITABLE
    root = world.incident.thread.root
    world.chat.script.fail("update", failure, times=None)
    for queued in (40, 90):
        world.queues(queued)
        await world.passes(60, step=10)
    assert world.incident.thread.root == root
    assert len(world.chat.parents()) == 1
    assert world.details(Noted) == [Noted(Note.UNEDITABLE)]


async def test_the_message_that_it_leaves_says_where_it_goes_on(world: World) -> None:
    """It stayed OPEN with live buttons."""
    old = world.parent
    world.chat.script.fail("update", Failure.PLACE)
    world.queues(40)
    await world.passes(60, step=10)
    assert world.incident.thread.channel == OPS
    link = await world.chat.permalink(OPS, world.parent.ts)
    assert old.message == returned_to_channel(link, own=False)
    assert "actions" not in [block["type"] for block in old.message.blocks]
    assert world.incident.thread.left is None


async def test_where_it_cannot_be_edited_either_nothing_more_is_tried(world: World) -> None:
    """An archived channel takes no edit."""
    world.chat.script.fail("update", Failure.PLACE, times=2)
    world.queues(40)
    await world.passes(60, step=10)
    assert (world.incident.thread.channel, world.incident.thread.left) == (OPS, None)
