"""The channel that cannot be used is left, asked once a minute for new incidents, and gone back to within the hour."""

from bot.core.incident.details.events import Note
from bot.ports import Failure
from bot.views.thread.results import returned_to_channel
from bot.views.words.timeline import NOTES
from tests.builders import CHANNEL
from tests.world import ANA, World, spoken

FALLBACK = "C0OPS"
SLACK = {"channel": CHANNEL, "fallback_channel": FALLBACK, "pace": "0s", "edit_pace": "0s"}
QUIET = {"escalate_after": "0s"}


async def away() -> World:
    world = World(slack=SLACK, timing=QUIET)
    world.chat.channels = [FALLBACK]
    await world.opens()
    assert world.parent.channel == FALLBACK
    return world


def asked(world: World) -> int:
    elsewhere = sum(message.channel != CHANNEL for message in world.chat.messages)
    return world.chat.script.count("post") - elsewhere


async def test_the_original_channel_is_tried_once_an_hour() -> None:
    world = await away()
    root = world.parent.ts
    await world.passes(3500, step=100)
    assert asked(world) == 1
    await world.passes(3600, step=100)
    assert asked(world) == 2
    assert world.parent.ts == root
    assert world.replies == []


async def test_an_open_channel_is_gone_back_to_within_the_hour() -> None:
    """One thread there, told where it comes from; the other points to it and has no buttons; clicks go on working."""
    world = await away()
    before = world.parent.ts
    world.chat.channels = [CHANNEL, FALLBACK]
    await world.passes(3700, step=100)
    assert world.parent.channel == CHANNEL
    assert "Posted here because" not in str(world.parent.message.blocks)
    assert world.replies == [NOTES[Note.BACK_IN_CHANNEL]]
    (old,) = [message for message in world.chat.parents() if message.ts == before]
    assert old.message == returned_to_channel(await world.chat.permalink(CHANNEL, world.parent.ts))
    assert world.data.indexes[f"thread:{CHANNEL}:{world.parent.ts}"] == world.incident.id
    await world.asks("ack", ANA)
    await world.passes(4000, step=100)
    assert f"<@{ANA}>" in str(world.parent.message.blocks)
    assert len(world.chat.parents()) == 2


async def test_nobody_is_mentioned_a_second_time_at_home() -> None:
    world = World(slack={**SLACK, "mention": "S0ONCALL"}, timing=QUIET)
    world.chat.channels = [FALLBACK]
    await world.opens()
    assert "S0ONCALL" in str(world.parent.message)
    world.chat.channels = [CHANNEL, FALLBACK]
    await world.passes(3700, step=100)
    assert world.parent.channel == CHANNEL
    assert "S0ONCALL" not in str(world.parent.message)


async def test_an_unknown_answer_on_the_way_home_makes_no_second_thread() -> None:
    world = await away()
    world.chat.channels = [CHANNEL, FALLBACK]
    world.clock.advance(3600)
    world.chat.script.fail("post", Failure.UNKNOWN, after=True)
    await world.work()
    assert world.chat.script.count("find") == 0
    await world.passes(60)
    assert world.chat.script.count("find") == 1
    assert world.parent.channel == CHANNEL
    assert len([message for message in world.chat.parents() if message.channel == CHANNEL]) == 1


async def test_a_closed_channel_is_asked_once_a_minute_by_all_new_incidents_together() -> None:
    world = await away()
    for number in range(20):
        await world.fires(spoken(), group_key=f"g{number}")
        await world.passes(5, step=5)
    assert asked(world) <= 3
    assert len(world.chat.parents()) == 21
    world.chat.channels = [CHANNEL, FALLBACK]
    await world.passes(60)
    for number in range(20, 23):
        await world.done(world.fires(spoken(), group_key=f"g{number}"))
    assert [message.channel for message in world.chat.parents()][-3:] == [CHANNEL] * 3


async def test_a_message_that_cannot_be_edited_any_more_is_left_alone() -> None:
    world = await away()
    world.clock.advance(3600)
    world.chat.channels = [CHANNEL]
    await world.work()
    assert world.parent.channel == CHANNEL
    assert world.incident.thread.left is None
    assert world.replies == [NOTES[Note.BACK_IN_CHANNEL]]
