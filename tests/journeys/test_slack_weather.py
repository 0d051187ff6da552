"""Slack in bad weather: answers that get lost, archived channels, a deleted message (others: fault cases SL)."""

from tests.journeys.opening import opened
from tests.journeys.setup import LINUX
from tests.journeys.world import World
from tests.wording import acknowledged


async def test_an_error_after_storing_posts_nothing_twice(world: World) -> None:
    """Slack stores the first message and answers 500; then a reply, and drops the connection: each is there once."""
    world.stand_in.faults.garbage("chat.postMessage", status=500)
    parent = await opened(world)
    world.farm.queue(LINUX, 30, 118)
    await parent.until("30 jobs queued")
    await parent.reply(f"Worse: {LINUX} 30 queued")
    world.stand_in.faults.drop_reply("chat.postMessage")
    await parent.click("Diagnose")
    await parent.reply("asked for a diagnosis")
    await parent.click("Acknowledge")
    await parent.until(acknowledged("U0ANA"))
    world.farm.queue(LINUX, 60, 120)
    await parent.reply(f"Worse: {LINUX} 60 queued")
    replies = await parent.replies()
    assert len([one for one in replies if "asked for a diagnosis" in one.text]) == 1
    assert len(world.roots()) == 1


async def test_a_channel_archived_while_the_incident_is_open(world: World) -> None:
    """It goes on in the fallback channel, with a note that says instead of which; its buttons work there."""
    await opened(world)
    world.stand_in.workspace.channel("C0CIONCALL").is_archived = True
    world.farm.queue(LINUX, 60, 120)
    moved = await world.slack.channel("ops").parent("60 jobs queued")
    assert "Posted here because Tailback cannot post in <#C0CIONCALL>" in moved.text
    await moved.click("Acknowledge")
    await moved.until(acknowledged("U0ANA"))
    assert len(world.roots("C0OPS")) == 1


async def test_a_message_deleted_by_hand_comes_back_once(world: World) -> None:
    parent = await opened(world)
    channel = world.stand_in.workspace.channel("C0CIONCALL")
    del channel.messages[parent.ts]
    world.farm.queue(LINUX, 60, 120)
    again = await world.slack.channel("ci").parent("60 jobs queued")
    assert again.ts != parent.ts
    await again.until("This is its new thread")
    await again.click("Acknowledge")
    await again.until(acknowledged("U0ANA"))
    assert len(world.roots()) == 2
