"""Two threads of one incident become one: the oldest stays, the others point to it and act on nothing (P2)."""

from dataclasses import replace

import pytest

from bot.core.message import Message
from bot.maintenance.deduplicate_threads import BACK_SECONDS, deduplicate_threads
from bot.ports import Failure, Refused
from bot.posting.message_key import message_key
from tests.builders import CHANNEL, NOW
from tests.fakes import SlackMessage
from tests.said import acknowledged
from tests.world import World


async def doubled(*, late: bool) -> tuple[World, SlackMessage]:
    """An incident and a second first message of it, which Slack took `late`, or before the one that is on record."""
    world = await World.opened()
    first = world.parent
    posted = await world.chat.post(CHANNEL, first.message, key=first.key)
    second = next(one for one in world.chat.messages if one.ts == posted.ts)
    if not late:
        second.ts = f"{NOW - 1:.6f}"
        world.chat.messages.sort(key=lambda one: one.ts)
    return world, second


def buttons(message: Message) -> list[object]:
    return [block for block in message.blocks if block["type"] == "actions"]


async def test_a_second_thread_points_to_the_first_and_loses_its_buttons() -> None:
    world, second = await doubled(late=True)
    first, edits = world.parent, world.parent.edits
    assert buttons(second.message)
    assert await deduplicate_threads(world.context) == ""
    await world.work()
    assert world.parent is first
    assert first.edits == edits
    assert second.message.text.startswith("Duplicate")
    assert first.ts.replace(".", "") in second.message.text
    assert not buttons(second.message)
    assert second.key == f"duplicate/{world.incident.id}"


async def test_the_oldest_stays_also_when_the_record_knows_the_other() -> None:
    world, older = await doubled(late=False)
    younger = world.parent
    await deduplicate_threads(world.context)
    await world.work()
    assert world.incident.thread.root == older.ts
    assert younger.message.text.startswith("Duplicate")
    await world.asks("ack", message=older.ts)
    with pytest.raises(Refused, match="already"):
        await world.asks("ack", message=older.ts, request_id=world.request.id)
    await world.work()
    assert acknowledged("U0ANA") in str(older.message.blocks)


async def test_a_button_of_the_collapsed_one_acts_on_nothing() -> None:
    """Somebody pressed before it was gone from the screen (AC-5)."""
    world, second = await doubled(late=True)
    await deduplicate_threads(world.context)
    with pytest.raises(Refused, match="has moved to another thread"):
        await world.asks("ack", message=second.ts)
    assert world.incident.ownership.owner is None


async def test_looking_again_changes_nothing() -> None:
    world, second = await doubled(late=True)
    await deduplicate_threads(world.context)
    edits = second.edits
    await deduplicate_threads(world.context)
    assert second.edits == edits


async def test_other_messages_are_left_alone(world: World) -> None:
    await world.opens()
    strange = SlackMessage(CHANNEL, f"{NOW - 9:.6f}", Message("Not ours"), message_key(world.incident), ours=False)
    world.chat.messages.append(strange)
    other = SlackMessage(CHANNEL, f"{NOW - 8:.6f}", Message("Another incident"), "i99.0123456789abcdef")
    world.chat.messages.append(other)
    await deduplicate_threads(world.context)
    await world.work()
    assert (strange.edits, other.edits) == (0, 0)
    assert world.incident.thread.root == world.parent.ts


async def test_only_young_incidents_are_searched_for() -> None:
    """A second first message arrives minutes after the first, or never: nothing is asked of Slack for old ones."""
    world, _ = await doubled(late=True)
    world.second_stands = True
    world.clock.advance(BACK_SECONDS + 1)
    calls = world.chat.script.count("own")
    assert await deduplicate_threads(world.context) == ""
    assert world.chat.script.count("own") == calls


async def test_a_channel_that_cannot_be_searched_is_named() -> None:
    world, second = await doubled(late=True)
    world.second_stands = True
    before = replace(second)
    world.chat.script.fail("own", Failure.CREDENTIALS)
    assert CHANNEL in await deduplicate_threads(world.context)
    assert second == before
