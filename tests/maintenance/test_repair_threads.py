"""Threads without a record continue, and second messages point to the first one."""

from dataclasses import replace

import pytest

from bot.core.incident.details.events import Note
from bot.core.incident.details.requests import LeaseNoted, ReturnBlock
from bot.core.message import Message
from bot.core.requests.interaction import Surface
from bot.maintenance.repair_threads import BACK_SECONDS, EPOCH, deduplicate_threads, recovered
from bot.ports import Failure
from bot.posting.message_key import message_key
from bot.views.words import refusals
from bot.views.words.timeline import NOTES
from tests.builders import CHANNEL, NOW
from tests.fakes import SlackMessage
from tests.scaling.care import CareWorld
from tests.wording import acknowledged
from tests.world import ANA, World, refused, spoken

FALLBACK = "C0OPS"


def all_lost(world: World) -> None:
    """Redis holds nothing any more, and this process has seen it."""
    data = world.data
    for kept in (data.rows, data.due, data.indexes, data.sets, data.marks, data.trail):
        kept.clear()
    world.store.lost = True


async def lost() -> World:
    """An incident whose thread stands, and no record of it."""
    world = await World.opened()
    all_lost(world)
    return world


async def test_what_fires_again_goes_on_in_its_old_thread() -> None:
    world = await lost()
    (first,) = world.chat.parents()
    assert await recovered(world.context)
    assert not world.store.lost
    await world.done(world.fires())
    assert world.chat.parents() == [first]
    assert world.incident.thread.root == first.ts
    assert NOTES[Note.RECORDS_LOST] in world.replies[0]
    await world.done(world.asks("ack", message=first.ts))
    assert acknowledged(ANA) in str(first.message.blocks)


@pytest.mark.parametrize("failure", [Failure.UNCONNECTED, Failure.UNKNOWN, Failure.LATER])
async def test_until_every_channel_was_read_nothing_counts_as_healed(failure: Failure) -> None:
    world = await lost()
    world.chat.script.fail("own", failure)
    assert not await recovered(world.context)
    assert world.store.lost
    assert await world.store.find(EPOCH) is None
    await world.fires()
    await refused(refusals.RECORDS_LOST, world.asks("silence", surface=Surface.COMMAND, words=("linux.2xlarge", "2h")))
    assert await recovered(world.context)
    assert not world.store.lost


async def test_a_channel_that_is_gone_for_good_holds_up_nobody() -> None:
    world = await lost()
    world.configure(slack={"channel": CHANNEL, "fallback_channel": FALLBACK, "pace": "0s", "edit_pace": "0s"})
    world.chat.channels = [CHANNEL]
    assert await recovered(world.context)
    assert [key for key in world.data.indexes if key.startswith("like:")]


async def test_every_channel_of_ours_is_read(world: World) -> None:
    world.configure(
        [{"match": {"team": "a"}, "channel": "C0A"}],
        slack={"channel": CHANNEL, "fallback_channel": FALLBACK, "pace": "0s", "edit_pace": "0s"},
    )
    await recovered(world.context)
    assert world.chat.script.count("own") == 3


async def test_the_thread_of_an_incident_that_was_over_is_not_taken_up(world: World) -> None:
    await world.opens()
    await world.fires(spoken(firing=False))
    world.queues(0)
    await world.passes(300, step=30)
    assert world.incident.closed
    all_lost(world)
    assert await recovered(world.context)
    world.queues(14)
    await world.done(world.fires(spoken(starts_at=world.clock.now())))
    assert len(world.chat.parents()) == 2


async def test_a_thread_that_somebody_else_wrote_is_not_taken_up(world: World) -> None:
    await world.opens()
    (first,) = world.chat.parents()
    first.ours = False
    all_lost(world)
    assert await recovered(world.context)
    await world.done(world.fires())
    assert world.incident.thread.root != first.ts


async def test_an_incident_that_was_opened_meanwhile_moves_into_the_old_thread() -> None:
    world = await lost()
    (first,) = world.chat.parents()
    await world.fires()
    assert await recovered(world.context)
    await world.work()
    assert world.incident.thread.root == first.ts
    assert world.chat.parents() == [first]
    assert NOTES[Note.RECORDS_LOST] in world.replies[0]


async def test_an_old_thread_beside_a_new_one_points_to_it() -> None:
    world = await lost()
    (first,) = world.chat.parents()
    await world.done(world.fires())
    assert len(world.chat.parents()) == 2
    assert await recovered(world.context)
    assert first.message.text.startswith("Duplicate")
    assert world.incident.thread.root != first.ts
    again = first.edits
    assert await recovered(world.context)
    assert first.edits == again


async def test_a_thread_that_was_taken_up_meanwhile_is_no_duplicate_of_itself() -> None:
    """Another process reads the channel before the first message has the key of its new record."""
    world = await lost()
    (first,) = world.chat.parents()
    assert await recovered(world.context)
    await world.fires()
    assert world.incident.thread.root == first.ts
    assert await recovered(world.context)
    assert not first.message.text.startswith("Duplicate")


async def test_messages_that_are_no_first_messages_of_ours_are_left_alone(world: World) -> None:
    for key in ("i1/3", "digest/1.000", "i1"):
        world.chat.messages.append(SlackMessage(CHANNEL, f"{NOW - 5:.6f}", Message("x"), key))
    assert await recovered(world.context)
    assert not [key for key in world.data.indexes if key.startswith("like:")]
    assert [stored.edits for stored in world.chat.messages] == [0, 0, 0]


async def test_an_action_that_was_asked_for_before_the_loss_is_not_done_after_it() -> None:
    """What Redis gives back may be old: the request is done no more, and the thread says why (P10)."""
    world = await CareWorld.opened()
    request = await world.wants(24)
    world.store.lost = True
    await world.work()
    assert world.scaler.requests == []
    assert "lost records" in (await world.now(request)).outcome
    assert await recovered(world.context)
    await world.passes(300, step=30)
    assert world.scaler.requests == []


async def test_nothing_is_handed_back_before_all_is_recovered() -> None:
    """The lease that is on record may be an old one, so the level stays; afterwards it goes back (C18)."""
    world = await CareWorld.opened()
    await world.scaled(24)
    world.store.lost = True
    world.clock.advance(7300)
    await world.work()
    assert world.scaler.current == 24
    assert [one.why for one in world.details(LeaseNoted)][-1] is ReturnBlock.RECORDS_LOST
    assert await recovered(world.context)
    await world.passes(120, step=30)
    assert world.scaler.current == 10


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
    await refused("already", world.asks("ack", message=older.ts, request_id=world.request.id))
    await world.work()
    assert acknowledged("U0ANA") in str(older.message.blocks)


async def test_a_button_of_the_collapsed_one_acts_on_nothing() -> None:
    """Somebody pressed before it was gone from the screen (AC-5)."""
    world, second = await doubled(late=True)
    await deduplicate_threads(world.context)
    await refused(refusals.OTHER_THREAD, world.asks("ack", message=second.ts))
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


@pytest.mark.parametrize("fails", [None, Failure.UNCONNECTED, Failure.GONE])
async def test_a_thread_without_a_record_ends_with_its_alert(fails: Failure | None) -> None:
    """It stayed OPEN with live buttons, since nothing fired any more."""
    world = await lost()
    (first,) = world.chat.parents()
    assert await recovered(world.context)
    if fails:
        world.chat.script.fail("update", fails)
    await world.done(world.fires(spoken("a1", firing=False)))
    await world.passes(200, step=20)
    gone = fails is Failure.GONE
    assert first.message.text.startswith("RESOLVED · The record of this incident was lost") is not gone
    assert ("actions" in str(first.message.blocks)) is gone
    assert not world.data.sets.get("lost")


async def test_a_group_that_fires_again_takes_its_thread_back() -> None:
    """The end was stored, and the next alert came before it could be shown."""
    world = await lost()
    (first,) = world.chat.parents()
    assert await recovered(world.context)
    await world.fires(spoken("a1", firing=False))
    await world.done(world.fires(spoken("a1", starts_at=world.clock.now())))
    assert world.incident.thread.root == first.ts
    assert "OPEN" in first.message.text
