"""An alert arrived: one group is one incident, whatever arrives how often."""

import asyncio
from dataclasses import replace

import pytest

from bot.config import File
from bot.core.alert import Kind
from bot.core.incident.details.events import AlertOddities
from bot.core.incident.incident import Incident, State
from bot.core.incident.timeline import Event
from bot.core.record import Change
from bot.incidents.intake import Taken
from bot.ports import Failure, Unreachable
from tests.builders import CHANNEL, NOW, POOL
from tests.world import ANA, OTHER_POOL, PoliteStore, World, spoken


async def test_a_group_that_fires_opens_one_incident(world: World) -> None:
    """It is due at once, its pools are watched and measured, and it waits for its thread in the right channel."""
    assert await world.fires() is Taken.OPENED
    found = world.incident
    assert (found.state, found.thread.channel, found.pools.affected) == (State.OPEN, CHANNEL, (POOL,))
    assert world.data.sets["open"] == world.data.sets[f"waiting:{CHANNEL}"] == world.data.sets[f"watch:{POOL}"]
    assert world.data.due.keys() == {f"inc:{found.id}", f"pool:{POOL}"}


async def test_the_first_route_that_matches_decides_on_the_channel(world: World) -> None:
    routes = [{"match": {"severity": "page"}, "channel": "C0PAGE", "mention": "S0PAGE"}]
    world.context.settings = replace(world.context.settings, file=File.model_validate({"route": routes}))
    await world.fires()
    assert (world.incident.thread.channel, world.incident.thread.mention) == ("C0PAGE", "S0PAGE")


async def test_a_member_that_joins_goes_into_the_same_incident(world: World) -> None:
    await world.fires(spoken("a1"))
    assert await world.fires(spoken("a1"), spoken("a2", runner_label=OTHER_POOL)) is Taken.JOINED
    assert [alert.fingerprint for alert in world.incident.group.alerts] == ["a1", "a2"]
    assert world.data.sets[f"watch:{OTHER_POOL}"] == {world.incident.id}
    assert world.data.due[f"pool:{OTHER_POOL}"] <= world.clock.now()


async def test_a_late_repeat_brings_no_member_back(world: World) -> None:
    """Of two Alertmanagers one is slow: that b fires arrives once more after b has resolved."""
    await world.opens(spoken("a"))
    joined = (spoken("a"), spoken("b", starts_at=NOW - 30))
    assert await world.fires(*joined) is Taken.JOINED
    assert await world.fires(spoken("a"), spoken("b", firing=False, starts_at=NOW - 30)) is Taken.JOINED
    entries = len(world.incident.log.timeline)
    assert await world.fires(*joined) is Taken.REPEATED
    assert [alert.fingerprint for alert in world.incident.group.firing] == ["a"]
    assert len(world.incident.log.timeline) == entries


async def test_the_thread_says_what_is_odd_about_an_alert(world: World) -> None:
    await world.done(world.fires(oddities=("priority: is required", "teams[0]: <!channel>")))
    (reply,) = world.replies
    assert world.incident.log.timeline[-1].details == AlertOddities(("priority: is required", "teams[0]: <!channel>"))
    assert "priority: is required" in reply
    assert "<!channel>" not in reply


async def test_a_repeat_changes_nothing(world: World) -> None:
    await world.fires()
    before = world.data.commits
    assert [await world.fires() for _ in range(5)] == [Taken.REPEATED] * 5
    assert world.data.commits == before


async def test_fifty_members_at_once_are_one_incident_with_all_of_them(world: World) -> None:
    await world.fires(spoken("a0"))
    await asyncio.gather(*(world.fires(spoken(f"a{n}")) for n in range(1, 20)))
    assert {alert.fingerprint for alert in world.incident.group.alerts} == {f"a{n}" for n in range(20)}


async def test_the_contact_points_test_button_opens_nothing(world: World) -> None:
    assert await world.fires(replace(spoken(), kind=Kind.TEST)) is Taken.TESTED
    assert world.incidents == []


async def closed(world: World) -> Incident:
    found = await world.opens()
    await world.done(world.asks("resolve", surface="dialog"))
    assert world.incident.state is State.RESOLVED
    return found


async def test_firing_anew_soon_after_the_end_goes_on_in_the_same_thread(world: World) -> None:
    before = await closed(world)
    world.clock.advance(1700)
    assert await world.fires(spoken(starts_at=NOW + 1700)) is Taken.JOINED
    assert (world.incident.id, world.incident.state) == (before.id, State.OPEN)
    assert world.data.sets[f"watch:{POOL}"] == world.data.sets["open"] == {before.id}


async def test_firing_anew_long_after_the_end_is_another_incident(world: World) -> None:
    before = await closed(world)
    world.clock.advance(1900)
    assert await world.fires(spoken(starts_at=NOW + 1900)) is Taken.OPENED
    old, new = sorted(world.incidents, key=lambda found: found.opened_at)
    assert (old.id, old.closed, new.closed) == (before.id, True, False)
    assert world.data.indexes[f"open:{new.group.key}"] == new.id


@pytest.mark.parametrize("after", [60.0, 7200.0])
async def test_an_end_by_hand_is_respected_while_the_same_alert_goes_on_firing(after: float, world: World) -> None:
    """A repeat of what fired before the end is no new occurrence, however late it comes and whoever joins it."""
    await world.done(world.fires(spoken("a1"), spoken("a2")))
    await world.asks("resolve", surface="dialog")
    world.clock.advance(after)
    assert await world.fires(spoken("a1"), spoken("a2", firing=False)) is Taken.JOINED
    assert world.incident.state is State.RESOLVED


async def test_a_store_that_is_down_is_said_so(world: World) -> None:
    world.data.broken = Unreachable("Redis", "connection refused")
    with pytest.raises(Unreachable, match="Redis: connection refused"):
        await world.fires()
    world.data.broken = None
    assert await world.fires() is Taken.OPENED


async def test_a_group_that_is_never_left_alone_is_sent_again(world: World) -> None:
    await world.fires()

    class Contested(PoliteStore):
        async def commit(self, change: Change) -> None:
            world.data.rows[f"inc:{world.incident.id}"].version += 1
            await super().commit(change)

    world.context.store = Contested(world.clock.now, world.clock.monotonic, data=world.data)
    with pytest.raises(Unreachable, match="written too often") as raised:
        await world.fires(spoken("a1"), spoken("a2"))
    assert raised.value.failure is Failure.LATER


async def test_a_webhook_and_a_click_at_once_keep_both(world: World) -> None:
    await world.opens()
    await asyncio.gather(world.fires(spoken(firing=False)), world.asks("ack", ANA))
    assert (world.incident.ownership.owner, world.incident.state) == (ANA, State.EASING)
    events = [entry.event for entry in world.incident.log.timeline]
    assert sorted(events) == sorted([Event.OPENED, Event.ACKED, Event.ALERT_RESOLVED])
