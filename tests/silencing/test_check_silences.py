"""Silences are looked after: lost ones come back once, and whatever was done to them elsewhere is shown."""

from dataclasses import replace

import pytest

from bot.core.incident.details.requests import SilenceEnd, SilenceEnded, SilenceStep, Silencing
from bot.ports import Failure, SilenceFound
from bot.silencing.check_silences import keep_silences
from tests.silencing.test_silence_conditions import active, silenced, warnings
from tests.world import World

LOST = SilenceEnded(SilenceEnd.LOST, alertmanager="grafana")


def only(world: World) -> SilenceFound:
    (found,) = world.alertmanager.silences.values()
    return found


async def check_now(world: World) -> str:
    problem = await keep_silences(world.context)
    await world.work()
    return problem


async def test_one_that_holds_is_left_alone() -> None:
    world = await silenced("1h")
    before, replies = world.incident, len(world.replies)
    assert await check_now(world) == ""
    assert (world.incident, len(world.replies)) == (before, replies)


async def test_one_that_was_lost_is_made_again_with_the_same_end() -> None:
    """Once; a second loss is only said (docs/design/measurements.md#silences)."""
    world = await silenced("1h")
    ends = only(world).ends_at
    world.alertmanager.forget("silence-1")
    world.clock.advance(60)
    await check_now(world)
    assert (only(world).ends_at, active(world)) == (ends, 1)
    assert world.last.details == Silencing(SilenceStep.RECREATED, alertmanager="grafana")
    world.alertmanager.forget(only(world).id)
    await check_now(world)
    assert active(world) == 0
    assert world.details(SilenceEnded) == [LOST]
    assert world.incident.active_silence is None


@pytest.mark.parametrize("actions", [{"enabled": False}, {"shadow": True}])
async def test_nothing_is_made_again_while_nothing_may_be_done(actions: dict[str, object]) -> None:
    world = await silenced("1h")
    world.configure(actions=actions)
    world.alertmanager.forget("silence-1")
    await check_now(world)
    assert active(world) == 0
    assert world.details(SilenceEnded) == [LOST]


async def test_one_that_somebody_ended_there_stays_ended() -> None:
    world = await silenced("1h")
    await world.alertmanager.end("silence-1")
    world.clock.advance(10)
    await check_now(world)
    assert active(world) == 0
    assert world.last.details == SilenceEnded(SilenceEnd.ENDED_ELSEWHERE)


@pytest.mark.parametrize("seconds", [1200.0, 9000.0])
async def test_an_end_that_was_moved_there_is_shown(seconds: float) -> None:
    world = await silenced("1h")
    ends = world.clock.now() + seconds
    world.alertmanager.silences["silence-1"] = replace(only(world), ends_at=ends)
    await check_now(world)
    known = world.incident.active_silence
    assert known is not None
    assert (known.ends_at, known.warn_at) == (ends, ends - 600)
    await world.passes(seconds + 60, step=300)
    assert warnings(world) == 1


async def test_one_that_was_replaced_there_is_followed_by_its_tag() -> None:
    world = await silenced("1h")
    world.alertmanager.moves = True
    longer = await world.alertmanager.extend("silence-1", world.clock.now() + 9000)
    world.clock.advance(1)
    await check_now(world)
    known = world.incident.active_silence
    assert known is not None
    assert (known.id, known.ends_at) == (longer.id, longer.ends_at)


async def test_a_back_end_that_does_not_answer_changes_nothing() -> None:
    world = await silenced("1h")
    world.alertmanager.script.fail("get", Failure.LATER)
    before = world.incident
    assert "Alertmanager (fake)" in await check_now(world)
    assert world.incident == before
