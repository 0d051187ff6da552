"""A reply that Slack takes after another worker posted it: one of the two stays, and the other points to it (P2)."""

import pytest

from bot.maintenance.repair_threads import BACK_SECONDS, COLLAPSED, deduplicate_threads
from bot.ports import Failure
from bot.posting.send import DOUBTFUL
from tests.builders import CHANNEL, NOW
from tests.fakes import SlackMessage
from tests.incidents.test_reconcile_doubt import READY_SECONDS, Dies
from tests.scaling.care import CareWorld
from tests.world import ANA, World


async def stopped_before_the_request(world: World) -> None:
    """A worker stops between its last check and the request, and another one takes over."""
    world.chat.script.fail("post", after=False, error=Dies())
    with pytest.raises(Dies):
        await world.work()
    await world.passes(READY_SECONDS + 2, step=1)


async def arrives_late(world: World, late: SlackMessage) -> SlackMessage:
    """Slack takes the request of the first worker all the same."""
    posted = await world.chat.post(CHANNEL, late.message, key=late.key, thread=late.thread)
    return next(one for one in world.chat.messages if one.ts == posted.ts)


def newest(world: World) -> SlackMessage:
    return [one for one in world.chat.messages if one.thread][-1]


async def doubled(world: World) -> tuple[SlackMessage, SlackMessage]:
    """An acknowledgement that was told twice."""
    await world.opens()
    await world.asks("ack", ANA)
    await stopped_before_the_request(world)
    reply = newest(world)
    return reply, await arrives_late(world, reply)


async def test_a_reply_that_arrives_late_points_to_the_one_that_stands(world: World) -> None:
    reply, late = await doubled(world)
    assert await deduplicate_threads(world.context) == ""
    assert reply.edits == 0
    assert late.key == f"{COLLAPSED}{reply.key}"
    assert reply.ts.replace(".", "") in late.message.text
    assert await deduplicate_threads(world.context) == ""
    assert (reply.edits, late.edits) == (0, 1)


async def test_the_reply_that_is_edited_stays_also_when_it_is_the_younger_one() -> None:
    """Its buttons are pressed, and it advances: the record knows where it stands."""
    world = await CareWorld.opened(approval_above=20)
    await world.wants(24)
    await stopped_before_the_request(world)
    reply = next(one for one in world.chat.messages if one.ts == world.offering("approve").ts)
    late = await arrives_late(world, reply)
    late.ts = f"{NOW - 1:.6f}"
    world.chat.messages.sort(key=lambda one: one.ts)
    await deduplicate_threads(world.context)
    assert (reply.edits, late.key) == (0, f"{COLLAPSED}{reply.key}")


async def test_only_threads_with_a_doubt_are_searched_and_for_a_while(world: World) -> None:
    await world.opens()
    await world.done(world.asks("ack", ANA))
    calls = world.chat.script.count("own")
    assert await deduplicate_threads(world.context) == ""
    assert world.chat.script.count("own") == calls + 1, "the channel alone"
    assert await world.store.members(DOUBTFUL) == frozenset()


async def test_a_doubt_is_over_in_time(world: World) -> None:
    _, late = await doubled(world)
    world.chat.script.fail("own", Failure.LATER, times=2)
    assert "could not be searched for second replies" in await deduplicate_threads(world.context)
    world.clock.advance(BACK_SECONDS + 1)
    await deduplicate_threads(world.context)
    assert await world.store.members(DOUBTFUL) == frozenset()
    assert late.edits == 1
