"""What Slack answers, and what becomes of the incident: as docs/explanation/promises.md#what-slack-errors-do says."""

import pytest

from bot.context.context import Health
from bot.core.incident.details.events import AlertsJoined, Note
from bot.ports import Failure, Unreachable
from bot.views.words.timeline import NOTES
from tests.builders import CHANNEL
from tests.world import ANA, World, spoken

FALLBACK = "C0OPS"


async def waiting(world: World) -> None:
    world.queues(14)
    await world.done(world.fires())


async def test_later_holds_the_whole_channel_for_as_long_as_slack_says(world: World) -> None:
    world.chat.script.fail("post", Failure.LATER, retry_after_seconds=7)
    world.queues(14)
    await world.fires(group_key="g1")
    await world.done(world.fires(group_key="g2"))
    assert world.chat.script.count("post") == 1
    await world.passes(6.9)
    assert world.chat.script.count("post") == 1
    await world.passes(0.2)
    assert len(world.chat.parents()) == 2
    assert not world.context.health.slack


async def test_later_on_an_edit_leaves_the_replies_their_way(world: World) -> None:
    await world.opens()
    world.chat.script.fail("update", Failure.LATER, retry_after_seconds=30)
    await world.done(world.asks("ack", ANA))
    await world.passes(29, step=29)
    assert world.parent.edits == 0
    await world.passes(1.1)
    assert f"<@{ANA}>" in str(world.parent.message.blocks)


@pytest.mark.parametrize("arrived", [True, False])
async def test_unknown_looks_into_slack_before_it_posts_again(arrived: bool, world: World) -> None:
    world.chat.script.fail("post", Failure.UNKNOWN, after=arrived)
    await waiting(world)
    assert world.context.health.slack
    await world.passes(9.9)
    assert world.chat.script.count("find") == 0
    await world.passes(0.2)
    assert world.chat.script.count("find") == 1
    assert world.chat.script.count("post") == (1 if arrived else 2) + len(world.chat.thread(world.parent.ts))
    assert len(world.chat.parents()) == 1
    assert world.incident.thread.root == world.chat.parents()[0].ts
    assert not world.context.health.slack


@pytest.mark.parametrize("arrived", [True, False])
async def test_an_answer_without_a_result_is_looked_up_sooner_than_none(arrived: bool, world: World) -> None:
    """That request is over, so only the way into the history is waited for; other incidents post meanwhile."""
    world.chat.script.fail("post", Failure.UNKNOWN, after=arrived, retry_after_seconds=5)
    await waiting(world)
    await world.fires(spoken("b1"), group_key="another")
    await world.passes(4, step=1)
    assert len(world.chat.parents()) == 1 + arrived
    assert world.chat.script.count("find") == 0
    await world.passes(2, step=1)
    assert world.chat.script.count("find") == 1
    assert len(world.chat.parents()) == 2


async def test_a_short_settle_time_holds_after_an_answer_too() -> None:
    world = World(slack={"channel": "C0CIONCALL", "settle": "1s"})
    world.chat.script.fail("post", Failure.UNKNOWN, retry_after_seconds=5)
    await waiting(world)
    await world.passes(2, step=1)
    assert len(world.chat.parents()) == 1


async def test_replies_wait_behind_first_messages_that_wait_for_slack() -> None:
    """After a rate limit what nobody knows yet goes first, also where no pace of our own books the order."""
    world = await World.opened(slack={"channel": "C0CIONCALL", "pace": "0s"})
    thread, replies = world.parent.ts, len(world.replies)
    await world.context.store.pause_lane("post:C0CIONCALL", 2.0)
    await world.fires(spoken("c1"), group_key="another")
    await world.done(world.fires(spoken("a1"), spoken("b1", host="one")))
    await world.passes(2.1)
    assert (len(world.chat.parents()), len(world.chat.thread(thread))) == (2, replies)
    await world.passes(3, step=1)
    assert len(world.chat.thread(thread)) == replies + 1


async def test_an_unknown_reply_is_looked_for_and_told_once(world: World) -> None:
    await world.opens()
    world.chat.script.fail("post", Failure.UNKNOWN, after=True)
    await world.fires(spoken("a1"), spoken("b1", host="one"))
    await world.done(world.fires(spoken("a1"), spoken("b1", host="one"), spoken("b2", host="two")))
    await world.passes(30)
    assert [stored.key for stored in world.chat.thread(world.parent.ts)] == ["i1/2", "i1/3", "i1/4"]
    assert world.chat.script.count("find") == 1


async def test_an_unknown_edit_is_simply_made_again(world: World) -> None:
    await world.opens()
    world.chat.script.fail("update", Failure.UNKNOWN)
    await world.asks("ack", ANA)
    await world.done(world.fires(spoken("a1"), spoken("b1", host="one")))
    await world.passes(10)
    assert len(world.replies) == 2
    assert world.chat.script.count("find") == 0


async def test_a_slack_that_cannot_be_reached_is_tried_with_growing_pauses(world: World) -> None:
    world.chat.script.fail("post", Failure.UNCONNECTED, times=None)
    await waiting(world)
    assert world.due() == 2.0
    assert "post failed" in world.context.health.slack
    await world.passes(600, step=1)
    assert world.chat.script.count("post") < 40
    world.chat.script.heal()
    await world.passes(60, step=1)
    assert len(world.chat.parents()) == 1


async def test_an_outage_of_slack_costs_no_buttons(world: World) -> None:
    world.chat.script.fail("post", Failure.UNCONNECTED, times=6)
    await waiting(world)
    await world.passes(200)
    assert not world.incident.thread.plain
    assert any(block["type"] == "actions" for block in world.parent.message.blocks)


async def test_a_shape_that_slack_refuses_is_made_plain(world: World) -> None:
    world.chat.script.fail("post", Failure.SHAPE)
    await waiting(world)
    assert world.chat.script.count("post") == 2
    assert world.parent.message.blocks == ()
    assert "Runner queue is long" in world.parent.message.text


async def test_a_reply_whose_shape_is_refused_is_told_as_plain_text(world: World) -> None:
    await world.opens()
    world.chat.script.fail("post", Failure.SHAPE)
    await world.done(world.fires(spoken("a1"), spoken("b1", host="one")))
    (reply,) = world.chat.thread(world.parent.ts)
    assert reply.message.blocks == ()
    (joined,) = world.details(AlertsJoined)
    assert joined.new
    assert joined.new[0] in reply.message.text
    assert any(block["type"] == "actions" for block in world.parent.message.blocks), "the parent keeps its buttons"
    await world.done(world.says("ack"))
    assert world.chat.thread(world.parent.ts)[-1].message.blocks, "Slack takes those of the next reply"


async def test_a_plain_text_that_slack_refuses_rests_for_an_hour(world: World) -> None:
    world.chat.script.fail("post", Failure.SHAPE, times=2)
    await waiting(world)
    await world.passes(3500, step=50)
    assert world.chat.script.count("post") == 2
    assert "post failed" in str(world.incident.trouble.why)
    await world.done(world.fires(group_key="another"))
    assert len(world.chat.parents()) == 1
    await world.passes(150, step=50)
    assert len(world.chat.parents()) == 2


async def test_a_channel_that_cannot_be_used_is_replaced_by_the_fallback() -> None:
    world = World(slack={"channel": CHANNEL, "fallback_channel": FALLBACK, "pace": "0s", "edit_pace": "0s"})
    world.chat.channels = [FALLBACK]
    await waiting(world)
    assert world.parent.channel == FALLBACK
    assert f"<#{CHANNEL}>" in str(world.parent.message.blocks)
    assert world.data.sets[f"waiting:{CHANNEL}"] == world.data.sets[f"waiting:{FALLBACK}"] == set()
    assert world.data.indexes[f"thread:{FALLBACK}:{world.parent.ts}"] == world.incident.id


async def test_a_channel_that_is_archived_under_way_moves_the_incident() -> None:
    world = await World.opened(
        slack={"channel": CHANNEL, "fallback_channel": FALLBACK, "pace": "0s", "edit_pace": "0s"}
    )
    world.chat.channels = [FALLBACK]
    await world.done(world.fires(spoken("a1"), spoken("b1", host="one")))
    assert world.parent.channel == FALLBACK
    assert len(world.replies) == 1


async def test_without_a_fallback_a_broken_channel_is_tried_once_a_minute(world: World) -> None:
    world.chat.channels = []
    await waiting(world)
    for _ in range(5):
        await world.passes(10)
        await world.fires(spoken("a1"), spoken(f"b{world.clock.now():.0f}", host="one"))
    assert world.chat.script.count("post") == 1
    world.chat.channels = [CHANNEL]
    await world.passes(20)
    assert len(world.chat.parents()) == 1


async def test_a_deleted_thread_is_replaced_once_by_a_new_one(world: World) -> None:
    before = await world.opens()
    world.chat.delete(CHANNEL, before.thread.root or "")
    await world.done(world.fires(spoken("a1"), spoken("b1", host="one")))
    assert world.parent.ts != before.thread.root
    assert [len(one.new) for one in world.details(AlertsJoined)] == [1]
    assert world.replies[1] == NOTES[Note.NEW_THREAD]
    assert world.data.indexes[f"thread:{CHANNEL}:{world.parent.ts}"] == world.incident.id


async def test_an_unrelated_note_does_not_count_as_a_deleted_thread(world: World) -> None:
    before = await world.opens()
    await world.says("scale_up", "linux.2xlarge", "24")
    await world.done(world.asks("diagnose"))
    world.chat.delete(CHANNEL, before.thread.root or "")
    await world.done(world.asks("ack", ANA))
    assert len(world.chat.parents()) == 1
    assert world.incident.trouble.retry_at == 0.0


async def test_a_thread_that_is_deleted_again_rests_for_an_hour(world: World) -> None:
    await world.opens()
    for _ in range(2):
        world.chat.delete(CHANNEL, world.incident.thread.root or "")
        await world.done(world.asks("mute"))
    assert world.chat.parents() == []
    await world.passes(3500, step=100)
    assert world.chat.parents() == []
    await world.passes(200, step=100)
    assert len(world.chat.parents()) == 1


async def test_a_message_that_cannot_be_edited_any_more_gets_a_new_thread_even_when_it_is_found_again(
    world: World,
) -> None:
    """The old message still carries the key; the look for an uncertain post does not take it for the new one."""
    await world.opens()
    world.second_stands = True
    world.chat.script.fail("update", Failure.GONE)
    world.chat.script.fail("post", Failure.UNKNOWN)
    await world.done(world.asks("ack", ANA))
    await world.passes(30)
    assert len(world.chat.parents()) == 2
    assert world.incident.thread.root == world.chat.parents()[1].ts


async def test_a_store_that_fails_is_no_failure_of_slack(world: World) -> None:
    await world.opens()
    await world.asks("ack", ANA)
    (claim,) = await world.claims()
    world.data.broken = Unreachable("Redis", "connection refused")
    with pytest.raises(Unreachable, match="Redis"):
        await world.tell(claim)
    assert world.context.health == Health()
