"""End silence: what was silenced from here ends early, once, and the thread says so."""

from dataclasses import replace

import pytest

from bot.core.incident.details.requests import ActiveSilence, RequestEnd, RequestNotDone, SilenceEnd, SilenceEnded
from bot.core.incident.incident import Silence
from bot.ports import Failure
from bot.silencing import end_silence
from bot.views.words import refusals
from tests.builders import incident, view
from tests.silencing.test_silence_conditions import silenced
from tests.world import ANA, BEN


def test_it_is_offered_while_a_silence_of_ours_is_active() -> None:
    running = Silence("s1", "grafana", 9e9, ANA, "i1.x")
    assert end_silence.ACTION.label(incident(), view()) is None
    assert end_silence.ACTION.label(incident(silences=(running,)), view()) is not None


async def test_it_ends_the_silence_and_says_who_did() -> None:
    world = await silenced("2h")
    world.clock.advance(60)
    await world.done(world.asks("unsilence", BEN))
    (kept,) = world.alertmanager.silences.values()
    assert kept.ends_at == world.clock.now()
    assert (world.last.who, world.last.details) == (BEN, SilenceEnded(SilenceEnd.ENDED))
    assert world.incident.active_silence is None
    assert "'silence'" in str(world.parent.message.blocks)


async def test_in_shadow_mode_it_stays() -> None:
    world = await silenced("2h")
    world.configure(actions={"shadow": True})
    await world.done(world.asks("unsilence"))
    assert world.incident.active_silence is not None
    assert world.alertmanager.script.count("end") == 0
    assert world.last.details == SilenceEnded(SilenceEnd.NOT_ENDED)


@pytest.mark.parametrize("arrived", [True, False])
async def test_after_a_time_out_it_is_looked_whether_it_has_ended(arrived: bool) -> None:
    world = await silenced("2h")
    world.alertmanager.script.fail("end", Failure.UNKNOWN, after=arrived)
    await world.done(world.asks("unsilence"))
    await world.passes(10, step=1)
    assert world.incident.active_silence is None
    assert world.alertmanager.script.count("end") == (1 if arrived else 2)


async def test_a_back_end_that_was_taken_out_of_the_configuration_is_named() -> None:
    world = await silenced("2h")
    await world.asks("unsilence")
    world.context.alertmanagers = {}
    await world.work()
    why = refusals.alertmanager_gone("grafana")
    assert world.last.details == RequestNotDone(RequestEnd.REFUSED, "unsilence", why=why)


async def test_another_silence_that_goes_on_is_named() -> None:
    world = await silenced("2h")
    first = world.incident.silences[0]
    second = replace(first, id="s2", act="i1.other", ends_at=first.ends_at + 60)
    both = replace(world.incident, silences=(first, second))
    await world.says("unsilence")
    done = await end_silence.effect(world.context, world.request, both)
    goes_on = ActiveSilence(second.ends_at, 7260.0)
    assert done.details == SilenceEnded(SilenceEnd.ENDED, other=goes_on)
