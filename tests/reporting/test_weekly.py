"""The weekly post: once a week and channel whatever crashes, by the zone's clock, none without anything to tell."""

from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from bot.core.incident.incident import Incident, Thread
from bot.core.record import Change, Claim, Conflict, Put, Stored
from bot.core.reporting.weekly import Weekly
from bot.ports import Failure
from bot.reporting.weekly import weekly
from bot.settings import RouteTable
from tests.builders import CHANNEL, NOW, POOL, closed, named
from tests.fakes import SlackMessage
from tests.world import World

OTHER = "C0OTHER"
MONDAY = NOW + 3 * 86400 + 3600
"""2027-01-18 09:00 UTC; the stories begin on the Friday before, at 08:00."""
WEEK = 7 * 86400.0


def posts(world: World, channel: str = CHANNEL) -> list[SlackMessage]:
    return [s for s in world.chat.parents() if s.key.startswith("weekly/") and s.channel == channel]


def record(world: World, channel: str = CHANNEL) -> Weekly:
    found = world.data.rows[f"weekly:{channel}"].value
    assert isinstance(found, Weekly)
    return found


async def happened(world: World, at: float = NOW, channel: str = CHANNEL, pool: str = POOL) -> None:
    made = closed(id=f"i{at:.0f}{channel}", opened_at=at, at=at + 3600, pools=named(pool))
    await kept(world, replace(made, thread=Thread(channel, "1800000000.000100", "drawn")))


async def kept(world: World, made: Incident) -> None:
    put = Put(Stored(made, 0), made, None, keep_seconds=30 * 86400.0)
    await world.store.commit(Change(puts=(put,), join=(("ended", made.id),)))


async def ticks(world: World, until: float, step: float = 3600.0) -> None:
    """Time goes by until then; the chore and the worker do their part."""
    while world.clock.now() < until:
        world.clock.advance(min(step, until - world.clock.now()))
        await weekly(world.context)
        await world.work()


async def begun(**tables: Any) -> World:
    """A world with an incident on Friday, whose channel has its report."""
    world = World(**tables)
    await happened(world)
    await weekly(world.context)
    await world.work()
    return world


async def test_it_comes_once_a_week_at_its_hour() -> None:
    """Not on Friday, not at 08:59 on Monday, once at 09:00, and the week after only with news of that week."""
    world = await begun()
    assert posts(world) == []
    await ticks(world, MONDAY - 60)
    assert posts(world) == []
    await ticks(world, MONDAY + 86400)
    (post,) = posts(world)
    assert post.key == f"weekly/{MONDAY:.0f}"
    assert post.message.text.startswith("1 incident in the last 7 days.")
    assert "11 Jan 09:00 to 18 Jan 09:00 UTC" in str(post.message.blocks)
    assert POOL in post.message.text
    await ticks(world, MONDAY + WEEK + 3600)
    assert len(posts(world)) == 1
    await happened(world, MONDAY + WEEK + 7200)
    await ticks(world, MONDAY + 2 * WEEK + 3600)
    assert [p.key for p in posts(world)] == [f"weekly/{MONDAY:.0f}", f"weekly/{MONDAY + 2 * WEEK:.0f}"]


async def test_without_anything_to_tell_nothing_is_posted(world: World) -> None:
    await ticks(world, MONDAY + 3600)
    assert world.chat.parents() == []
    assert record(world).done_for == MONDAY
    assert world.due("weekly") == MONDAY + WEEK - world.clock.now()


async def test_it_can_be_switched_off_while_tailback_runs() -> None:
    world = await begun(report={"enabled": False})
    await ticks(world, MONDAY + 2 * 86400)
    world.configure(report={"enabled": True})
    await ticks(world, MONDAY + 3 * 86400)
    assert world.chat.parents() == []


async def test_another_day_and_hour() -> None:
    """Wednesday at 17:00."""
    world = await begun(report={"day": "wednesday", "hour": 17})
    await ticks(world, MONDAY + 2 * 86400 + 8 * 3600 - 1)
    assert posts(world) == []
    await ticks(world, MONDAY + 2 * 86400 + 8 * 3600)
    assert len(posts(world)) == 1


async def test_every_channel_hears_of_its_own_incidents(world: World) -> None:
    routes = [RouteTable(match={"team": "a"}, channel=OTHER), RouteTable(match={"team": "b"}, channel="C0QUIET")]
    file = world.context.settings.file.model_copy(update={"route": routes})
    world.context.settings = replace(world.context.settings, file=file)
    await happened(world)
    await happened(world, NOW + 60, OTHER, "linux.gpu")
    await ticks(world, MONDAY + 3600)
    assert "linux.gpu" not in posts(world)[0].message.text
    assert "linux.gpu" in posts(world, OTHER)[0].message.text
    assert POOL not in posts(world, OTHER)[0].message.text
    assert posts(world, "C0QUIET") == []


async def test_an_incident_in_the_fallback_channel_belongs_to_its_own(world: World) -> None:
    made = closed(id="moved", opened_at=NOW, at=NOW + 60, pools=named(POOL))
    await kept(world, replace(made, thread=Thread("C0FALLBACK", "1.1", instead_of=CHANNEL)))
    await ticks(world, MONDAY + 3600)
    assert len(posts(world)) == 1


@pytest.mark.parametrize("sent", [False, True])
async def test_a_worker_that_dies_between_intent_and_record_leaves_one_post(sent: bool) -> None:
    """Killed before or after Slack took it: whoever is next looks for the key before anything is said again."""
    world = await begun()
    world.chat.script.fail("post", after=sent, error=RuntimeError("killed"))
    with pytest.raises(RuntimeError):
        await ticks(world, MONDAY + 60)
    assert record(world).begun_for == MONDAY
    assert record(world).done_for < MONDAY
    assert len(posts(world)) == sent
    await ticks(world, MONDAY + 3600, step=5)
    assert len(posts(world)) == 1
    assert record(world).done_for == MONDAY


async def test_a_record_that_was_lost_after_the_post_is_no_second_post() -> None:
    world = await begun()
    await ticks(world, MONDAY + 60)
    del world.data.rows[f"weekly:{CHANNEL}"]
    await ticks(world, MONDAY + 7200, step=60)
    assert len(posts(world)) == 1
    assert record(world).done_for == MONDAY


async def test_two_workers_make_one_post() -> None:
    """The second one takes over after the lease; the first wakes up and finds that it lost its claim."""
    world = await begun()
    world.clock.advance(MONDAY - world.clock.now() + 1)
    (first,) = await world.claims("weekly")
    assert await world.claims("weekly") == []
    world.clock.advance(60)
    await world.work()
    assert len(posts(world)) == 1
    with pytest.raises(Conflict):
        await world.tell(first)
    await ticks(world, MONDAY + 3600, step=60)
    assert len(posts(world)) == 1


async def test_being_woken_while_it_is_posted_is_no_second_post() -> None:
    world = await begun()
    world.clock.advance(MONDAY - world.clock.now() + 1)
    (claim,) = await world.claims("weekly")
    await weekly(world.context)
    await world.tell(claim)
    await world.work()
    assert len(posts(world)) == 1


async def test_a_week_that_could_not_be_told_within_a_day_is_left_out() -> None:
    world = await begun()
    world.chat.script.fail("post", Failure.PLACE, times=None)
    await ticks(world, MONDAY + 86400 + 1200)
    world.chat.script.heal()
    await happened(world, MONDAY + 3 * 86400)
    await ticks(world, MONDAY + WEEK - 1)
    assert posts(world) == []
    await ticks(world, MONDAY + WEEK)
    assert [p.key for p in posts(world)] == [f"weekly/{MONDAY + WEEK:.0f}"]


@pytest.mark.parametrize(
    ("friday", "posted"),
    [("2026-10-16T12:00:00", ["2026-10-19T07:00:00", "2026-10-26T08:00:00"]),
     ("2027-03-19T12:00:00", ["2027-03-22T08:00:00", "2027-03-29T07:00:00"])],
)  # fmt: skip
async def test_the_clocks_are_put_and_it_stays_at_nine_in_berlin(friday: str, posted: list[str]) -> None:
    """Each hour belongs to one week: 169 hours in autumn, 167 in spring, and an incident in any is told of once."""
    world = World(report={"zone": "Europe/Berlin"})
    start, first, second = (datetime.fromisoformat(f"{text}+00:00").timestamp() for text in (friday, *posted))
    world.clock.advance(start - world.clock.now())
    for at in (start, first - 1, first, second - 1, second):
        await happened(world, at)
    await ticks(world, second + 3600, step=600)
    assert [(p.key, p.message.text.count("2 incidents in the last 7 days.")) for p in posts(world)] == [
        (f"weekly/{first:.0f}", 1),
        (f"weekly/{second:.0f}", 1),
    ]
    assert "09:00 Europe/Berlin" in str(posts(world)[1].message.blocks)


async def test_a_channel_that_is_no_longer_configured_is_left_alone() -> None:
    world = await begun()
    world.configure(slack={"channel": OTHER})
    await ticks(world, MONDAY + 3600)
    assert posts(world) == []
    assert [member for member in world.data.due if member.startswith("weekly:")] == [f"weekly:{OTHER}"]


async def test_the_chore_comes_back_within_the_hour(world: World) -> None:
    await world.context.store.commit(Change(wake=("chore:weekly",)))
    (claim,) = (await world.store.claim(1)).claims
    assert isinstance(claim, Claim)
    await world.tell(claim)
    assert world.due("chore:weekly") == 3600
    assert world.due("weekly") == 0
