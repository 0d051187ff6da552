"""A silence that ends by itself: when the queue has drained, or when it gets too long; its owner hears of the end."""

import pytest

from bot.core.incident.details.requests import Coverage, EndReason, SilenceEnd, SilenceEnded, SilenceStep, Silencing
from bot.core.pool.pool import Snapshot
from bot.core.requests.request import Progress, Request
from bot.ports import Failure
from bot.views.words import refusals
from tests.builders import POOL
from tests.world import ANA, BEN, World, spoken

DRAINED = SilenceEnded(SilenceEnd.ENDED, EndReason.DRAINED)
TOO_LONG = SilenceEnded(SilenceEnd.ENDED, EndReason.TOO_MANY_JOBS, waiting=101, above=100)


async def silenced(preset: str = "1h", *, world: World | None = None, **values: str) -> World:
    """Ana filled in the dialog; the silence is there."""
    there = world or World()
    await there.opens()
    await there.done(there.silences(preset, **values))
    return there


def warnings(world: World) -> int:
    """How often the thread was told that the silence ends soon."""
    return sum(one.step is SilenceStep.ENDS_SOON for one in world.details(Silencing))


def active(world: World) -> int:
    now = world.clock.now()
    return sum(one.ends_at > now for one in world.alertmanager.silences.values())


async def drains(world: World) -> None:
    """The alert resolves, and the queue is empty for long enough."""
    world.queues(0)
    await world.fires(spoken(firing=False))
    await world.passes(180)


async def test_until_drained_ends_with_the_incident() -> None:
    world = await silenced("drained")
    (made,) = world.alertmanager.silences.values()
    assert made.ends_at == world.clock.now() + 86_400
    details = Silencing(SilenceStep.MADE, 86_400.0, until_drained=True, coverage=Coverage(1, 1))
    assert (world.last.who, world.last.details) == (ANA, details)
    assert "Silenced until the queue drains, at the latest until" in str(world.parent.message.blocks)
    await drains(world)
    assert active(world) == 0
    assert world.last.details == DRAINED
    assert world.incident.active_silence is None


async def test_both_a_time_and_the_drain() -> None:
    world = await silenced("drained", custom="30m")
    (made,) = world.alertmanager.silences.values()
    assert made.ends_at == world.clock.now() + 1800
    await world.passes(1900, step=190)
    assert active(world) == 0
    assert world.details(SilenceEnded) == [SilenceEnded(SilenceEnd.RAN_OUT)]


async def test_it_breaks_through_when_the_queue_gets_too_long() -> None:
    world = await silenced("4h", above="100")
    world.queues(100)
    await world.passes(60)
    assert active(world) == 1
    world.queues(101)
    await world.passes(60)
    assert active(world) == 0
    assert world.details(SilenceEnded) == [TOO_LONG]


@pytest.mark.parametrize(("age", "ended"), [(100.0, True), (900.0, False)])
async def test_after_the_incident_figures_count_as_long_as_the_pool_is_seldom_measured(age: float, ended: bool) -> None:
    """Every 5 min: a figure that is older than that by far is none of now."""
    world = await silenced("4h", world=World(timing={"watch": "5m"}), above="100")
    await world.asks("resolve", surface="dialog")
    world.metrics.show(POOL, Snapshot(POOL, world.clock.now() + 300 - age, queued=101, oldest_wait_seconds=3600.0))
    await world.passes(330, step=30)
    assert world.details(SilenceEnded) == ([TOO_LONG] if ended else [])


async def test_an_unknown_queue_breaks_nothing_through() -> None:
    world = await silenced("4h", above="100")
    world.queues(None)
    await world.passes(120)
    assert active(world) == 1


@pytest.mark.parametrize("above", ["many", "-5", "1.5", "9999999"])
async def test_a_figure_that_is_none_is_said_in_the_dialog(world: World, above: str) -> None:
    answer = await world.silences(above=above)
    assert answer.errors == {"above": refusals.NO_JOB_NUMBER}


async def test_ended_by_hand_nothing_more_happens() -> None:
    world = await silenced("drained")
    await world.done(world.asks("unsilence", BEN))
    replies = len(world.replies)
    await world.passes(60)
    assert len(world.replies) == replies
    waiting = [row.value for row in world.data.rows.values() if isinstance(row.value, Request) and row.value.who == ""]
    assert [request.progress for request in waiting] == [Progress.FAILED]


async def test_a_back_end_that_is_silent_is_asked_again() -> None:
    world = await silenced("drained")
    world.alertmanager.script.fail("end", Failure.UNKNOWN, times=2)
    await drains(world)
    await world.passes(60)
    assert active(world) == 0


async def test_the_kill_switch_leaves_it_and_says_so() -> None:
    world = await silenced("drained")
    world.configure(actions={"enabled": False})
    await drains(world)
    assert active(world) == 1
    assert any("Actions are disabled" in text for text in world.replies)


async def test_the_owner_is_told_ten_minutes_before_the_end_once() -> None:
    world = await silenced("1h")
    await world.passes(2990, step=115)
    assert warnings(world) == 0
    await world.passes(300, step=60)
    assert warnings(world) == 1
    assert (world.last.whom, world.last.choices) == (ANA, ("prolong",))
    assert f"<@{ANA}>" in world.replies[-1]


async def test_a_short_silence_is_not_spoken_of() -> None:
    world = await silenced("15m")
    await world.passes(890, step=89)
    assert warnings(world) == 0
