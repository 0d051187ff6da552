"""What waits for Slack for too long is told outside of it: once, and once when it is over (P8)."""

from bot.core.record import Chore
from bot.maintenance.slack_outage import PATIENCE_SECONDS, TROUBLE_SECONDS, check_slack_outage
from bot.ports import Failure
from tests.world import World

OUTSIDE = {"outside_slack": {"url_env": "PAGER_URL", "after": "5m"}}


async def silent() -> World:
    """An incident that Slack does not take, and somebody outside to tell."""
    world = World(**OUTSIDE)
    world.chat.script.fail("*", Failure.UNCONNECTED, times=None)
    world.queues(14)
    await world.done(world.fires())
    return world


async def check_now(world: World, seconds: float, record: Chore) -> Chore:
    """Look every five seconds for so long; the record as it is then."""
    for _ in range(round(seconds / 5)):
        world.clock.advance(5)
        await world.work()
        record = await check_slack_outage(world.context, record)
    return record


async def test_a_long_silence_is_told_once_and_its_end_once() -> None:
    world = await silent()
    record = await check_now(world, 290, Chore("watch"))
    assert world.pager.events == []
    record = await check_now(world, 600, record)
    assert [one.event for one in world.pager.events] == ["slack_unreachable"]
    assert "1 incident with undelivered messages" in world.pager.events[0].text
    world.chat.script.heal()
    record = await check_now(world, 120, record)
    assert [one.event for one in world.pager.events] == ["slack_unreachable", "slack_recovered"]
    assert (record.notified, record.since, record.note) == (False, None, "")


async def test_who_could_not_be_told_is_told_later() -> None:
    world = await silent()
    world.pager.script.fail("send", Failure.UNCONNECTED, times=3)
    await check_now(world, 400, Chore("watch"))
    assert [one.event for one in world.pager.events] == ["slack_unreachable"]


async def test_readiness_is_told_of_a_refused_token_before_the_first_message() -> None:
    world = World()
    world.chat.script.fail("connect", Failure.CREDENTIALS)
    assert (await check_slack_outage(world.context, Chore("watch"))).note == "Slack: connect failed"
    assert (await check_slack_outage(world.context, Chore("watch"))).note == ""


async def test_readiness_is_told_sooner_of_what_slack_refused() -> None:
    world = await silent()
    world.clock.advance(TROUBLE_SECONDS + 1)
    assert "Slack: * failed" in (await check_slack_outage(world.context, Chore("watch"))).note
    calm = World()
    await calm.fires()
    calm.clock.advance(TROUBLE_SECONDS + 1)
    assert (await check_slack_outage(calm.context, Chore("watch"))).note == ""
    calm.clock.advance(PATIENCE_SECONDS)
    assert "the oldest waits 1 min" in (await check_slack_outage(calm.context, Chore("watch"))).note
