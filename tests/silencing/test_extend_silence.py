"""Extend a silence: from the thread, counted from now, once, under whatever id; its owner is told again."""

import pytest

from bot.core.incident.details.requests import (
    RequestEnd,
    RequestNotDone,
    SilenceEnd,
    SilenceEnded,
    SilenceStep,
    Silencing,
)
from bot.ports import Failure, Refused
from bot.requests.submit import SeveralIncidents
from bot.views.words import refusals
from tests.builders import CHANNEL, POOL
from tests.fakes import SILENCE_GONE
from tests.silencing.test_silence_conditions import DRAINED, active, drains, silenced, warnings
from tests.world import ANA, BEN, OTHER_POOL, World, refused, spoken


def offered(world: World) -> str:
    return next(entry.about for entry in reversed(world.incident.log.timeline) if "prolong" in entry.choices)


async def presses(world: World, who: str = BEN, request_id: str = "", **parts: object) -> None:
    root = world.incident.thread.root
    await world.asks("prolong", who, request_id=request_id or offered(world), thread=root, channel=CHANNEL, **parts)


async def test_it_lasts_as_long_again_from_now() -> None:
    world = await silenced("1h")
    first = offered(world)
    world.clock.advance(1800)
    await world.done(presses(world))
    (kept,) = world.alertmanager.silences.values()
    assert kept.ends_at == world.clock.now() + 3600
    assert kept.by == f"tailback ({ANA})"
    assert (world.last.who, world.last.details) == (BEN, Silencing(SilenceStep.EXTENDED, 3600.0))
    assert world.incident.active_silence is not None
    assert world.incident.active_silence.ends_at == kept.ends_at
    assert [entry.about for entry in world.incident.log.timeline if entry.choices] == [first]


async def test_its_owner_is_told_again_before_the_new_end() -> None:
    world = await silenced("1h")
    await world.passes(3100, step=310)
    assert warnings(world) == 1
    await world.done(presses(world))
    await world.passes(3100, step=310)
    assert warnings(world) == 2
    await world.done(presses(world))
    assert active(world) == 1
    await world.passes(3700, step=370)
    assert active(world) == 0
    assert world.last.details == SilenceEnded(SilenceEnd.RAN_OUT)
    assert [entry for entry in world.incident.log.timeline if entry.choices] == []


async def test_another_id_afterwards_is_followed() -> None:
    """Alertmanager gives one when the start differs; the old one is over, ending ends the new one."""
    world = await silenced("1h")
    world.alertmanager.moves = True
    world.clock.advance(600)
    await world.done(presses(world))
    assert world.incident.active_silence is not None
    assert world.incident.active_silence.id == "silence-2"
    assert len(world.incident.silences) == 1
    await world.done(world.asks("unsilence"))
    assert active(world) == 0


async def test_by_a_word_with_a_duration() -> None:
    world = await silenced("1h")
    await world.done(world.says("prolong", "4h", who=BEN))
    (kept,) = world.alertmanager.silences.values()
    assert kept.ends_at == world.clock.now() + 4 * 3600
    await refused(refusals.longest_silence(86_400.0), world.says("prolong", "3d"))
    await refused(refusals.no_duration("soon"), world.says("prolong", "soon"))


async def test_what_lasts_longer_already_is_not_extended() -> None:
    world = await silenced("4h")
    enough = refusals.lasts_anyway(4 * 3600.0)
    await refused(enough, world.says("prolong", "1h"))
    await refused(enough, presses(world))


async def test_until_drained_lasts_and_ends_with_the_drain() -> None:
    world = await silenced("drained", custom="30m")
    await world.passes(1200, step=120)
    await world.done(world.says("prolong", "2h"))
    await world.passes(1800, step=180)
    assert active(world) == 1
    await drains(world)
    assert active(world) == 0
    assert world.last.details == DRAINED


@pytest.mark.parametrize("arrived", [True, False])
async def test_after_a_time_out_it_is_looked_whether_it_has_happened(arrived: bool) -> None:
    world = await silenced("1h")
    world.clock.advance(1800)
    pressed_at = world.clock.now()
    world.alertmanager.script.fail("extend", Failure.UNKNOWN, after=arrived)
    await world.done(presses(world))
    await world.passes(20, step=1)
    assert world.alertmanager.script.count("extend") == (1 if arrived else 2)
    (kept,) = world.alertmanager.silences.values()
    assert kept.ends_at == pressed_at + 3600


async def test_one_that_is_lost_or_over_is_said() -> None:
    world = await silenced("1h")
    request_id = offered(world)
    world.clock.advance(1800)
    world.alertmanager.forget("silence-1")
    await world.done(presses(world))
    assert world.last.details == RequestNotDone(RequestEnd.REFUSED, "prolong", why=SILENCE_GONE)
    other = await silenced("1h")
    request_id = offered(other)
    await other.done(other.asks("unsilence"))
    assert [entry for entry in other.incident.log.timeline if entry.choices] == []
    await refused(refusals.SILENCE_OVER, presses(other, request_id=request_id))
    await refused(refusals.NO_SILENCE_HERE, other.says("prolong"))


async def test_after_an_attempt_that_failed_it_can_be_asked_again() -> None:
    world = await silenced("1h")
    world.clock.advance(1800)
    request_id = offered(world)
    world.alertmanager.script.fail("extend", error=Refused("not today"))
    await world.done(presses(world, request_id=request_id))
    assert world.last.details == RequestNotDone(RequestEnd.REFUSED, "prolong", why="not today")
    await world.done(world.says("prolong"))
    assert world.details(Silencing)[-1] == Silencing(SilenceStep.EXTENDED, 3600.0)


async def test_in_shadow_mode_it_is_not_extended() -> None:
    world = await silenced("1h")
    world.clock.advance(1800)
    world.configure(actions={"shadow": True})
    await world.done(presses(world, ANA))
    assert world.last.details == Silencing(SilenceStep.NOT_EXTENDED)
    assert world.alertmanager.script.count("extend") == 0


async def test_a_button_of_another_thread_does_nothing() -> None:
    """An id is not a right (C8)."""
    world = await silenced("1h")
    await refused(refusals.OTHER_THREADS_BUTTON, world.asks("prolong", request_id=offered(world), thread="1.0"))


async def test_in_a_channel_the_duration_is_no_pool() -> None:
    world = await silenced("1h")
    await world.done(world.types("prolong", "4h"))
    (kept,) = world.alertmanager.silences.values()
    assert kept.ends_at == world.clock.now() + 4 * 3600
    await world.done(world.types("prolong", POOL, "6h"))
    assert kept.ends_at < world.alertmanager.silences[kept.id].ends_at == world.clock.now() + 6 * 3600


async def test_of_several_incidents_one_is_chosen_and_a_duration_needs_the_pool() -> None:
    world = await silenced("1h")
    await world.done(world.fires(spoken("b1", runner_label=OTHER_POOL), group_key="two"))
    with pytest.raises(SeveralIncidents) as several:
        await world.types("prolong")
    await refused(refusals.PROLONG_WHICH, world.types("prolong", "4h"))
    chosen = next(offer for incident, offer in several.value.offers if incident.silences)
    world.clock.advance(600)
    await world.done(world.asks("prolong", request_id=chosen))
    (kept,) = world.alertmanager.silences.values()
    assert kept.ends_at == world.clock.now() + 3600
