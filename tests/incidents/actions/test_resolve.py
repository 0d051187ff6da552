"""Close incident: behind a question, once, and with a farewell that says what stays silenced."""

from typing import Any

import pytest

from bot.core.incident.details.events import IncidentEnded, IncidentEnding, PoolPeak
from bot.core.incident.details.requests import (
    ActiveSilence,
    EndReason,
    RequestEnd,
    RequestNotDone,
    SilenceEnd,
    SilenceEnded,
)
from bot.core.incident.incident import State
from bot.core.incident.timeline import Event
from bot.core.requests.interaction import Surface, request_id
from bot.incidents.actions.resolve import ENDS_WITH_IT
from bot.ports import Refused
from bot.views.words import refusals
from bot.views.words.closing import unfinished_words
from bot.views.words.silences import still_lasts
from tests.builders import POOL
from tests.scaling.care import CareWorld
from tests.world import ANA, BEN, World, dialog, refused, whisper


async def test_the_menu_asks_first(world: World) -> None:
    await world.opens()
    assert dialog(await world.asks("resolve"))["callback_id"] == "resolve"
    assert not world.incident.closed


async def test_confirmed_it_closes_and_says_who_did(world: World) -> None:
    await world.opens(queued=14)
    await world.done(world.asks("resolve", BEN, surface="dialog"))
    assert world.incident.state is State.RESOLVED
    assert not [block for block in world.parent.message.blocks if block["type"] == "actions"]
    last, (farewell,) = world.last, world.details(IncidentEnded)
    assert (last.event, last.who, last.details) == (Event.RESOLVED_BY_HAND, BEN, farewell)
    assert (farewell.how, farewell.summary.peaks) == (IncidentEnding.CLOSED, (PoolPeak(POOL, 14, 3600.0),))
    assert world.replies[-1].startswith(f"<@{BEN}> ")


async def test_what_is_over_cannot_be_closed_again(world: World) -> None:
    await world.opens()
    await world.asks("resolve", surface="dialog")
    await refused(refusals.INCIDENT_OVER, world.asks("resolve", surface="dialog"))


async def silenced(how: str, **tables: dict[str, Any]) -> World:
    world = await World.opened(**tables)
    await world.done(world.says("silence", how))
    return world


def ends_it(world: World) -> str:
    (farewell,) = [entry for entry in world.incident.log.timeline if "unsilence" in entry.choices]
    return farewell.about


async def test_a_silence_that_goes_on_is_named_before_and_after() -> None:
    world = await silenced("2h")
    world.clock.advance(600)
    answer = await world.asks("resolve")
    goes_on = ActiveSilence(world.incident.silences[0].ends_at, 6600.0)
    assert still_lasts(goes_on) in str(answer.view)
    await world.done(world.asks("resolve", BEN, surface="dialog"))
    farewell = world.replies[-1]
    (details,) = world.details(IncidentEnded)
    assert details.summary.silences == (goes_on,)
    assert world.last.choices == ("unsilence", "reopen")
    await world.passes(120)
    assert world.incident.silences[0].ended is False
    assert world.replies[-1] == farewell


@pytest.mark.parametrize("by_button", [True, False])
async def test_it_can_be_ended_although_the_incident_is_over(by_button: bool) -> None:
    world = await silenced("2h")
    await world.done(world.asks("resolve", surface="dialog"))
    about, root = ends_it(world), world.incident.thread.root
    press = {"request_id": about, "thread": root}
    await (world.asks("unsilence", BEN, **press) if by_button else world.says("unsilence", who=BEN))
    await world.work()
    (kept,) = world.alertmanager.silences.values()
    assert kept.ends_at == world.clock.now()
    last = world.last
    assert (last.event, last.who, last.details) == (Event.UNSILENCED, BEN, SilenceEnded(SilenceEnd.ENDED))
    assert world.incident.closed
    assert not [entry for entry in world.incident.log.timeline if "unsilence" in entry.choices]
    assert "Silenced until" not in str(world.parent.message.blocks)
    await refused(refusals.NO_SILENCE_HERE, world.asks("unsilence", ANA, **press))
    await refused(refusals.NO_SILENCE_HERE, world.says("unsilence"))


async def test_two_presses_end_it_once_and_only_from_its_own_thread() -> None:
    world = await silenced("2h")
    await world.done(world.asks("resolve", surface="dialog"))
    about, root = ends_it(world), world.incident.thread.root
    await refused(refusals.OTHER_THREADS_BUTTON, world.asks("unsilence", BEN, request_id=about, thread="1.1"))
    await world.asks("unsilence", BEN, request_id=about, thread=root)
    raised = await refused(refusals.already_requested(0.0), world.asks("unsilence", ANA, request_id=about, thread=root))
    await world.work()
    assert raised.who == BEN
    assert world.alertmanager.script.count("end") == 1


async def test_after_an_attempt_that_failed_the_button_works_again() -> None:
    world = await silenced("2h")
    await world.done(world.asks("resolve", surface="dialog"))
    press = {"request_id": ends_it(world), "thread": world.incident.thread.root or ""}
    world.alertmanager.script.fail("end", error=Refused("not today"))
    await world.done(world.asks("unsilence", **press))
    (failure,) = world.details(RequestNotDone)
    assert (failure.how, failure.action, failure.why) == (RequestEnd.REFUSED, "unsilence", "not today")
    await world.done(world.asks("unsilence", **press))
    assert world.details(SilenceEnded)[-1] == SilenceEnded(SilenceEnd.ENDED)


async def test_a_silence_until_the_drain_ends_with_the_incident() -> None:
    world = await silenced("drained")
    answer = await world.asks("resolve")
    assert ENDS_WITH_IT in str(answer.view)
    await world.done(world.asks("resolve", BEN, surface="dialog"))
    (details,) = world.details(IncidentEnded)
    assert [one.until_drained for one in details.summary.silences] == [True]
    await world.passes(60)
    assert world.details(SilenceEnded) == [SilenceEnded(SilenceEnd.ENDED, EndReason.INCIDENT_OVER)]
    (kept,) = world.alertmanager.silences.values()
    assert kept.ends_at <= world.clock.now()
    assert world.incident.active_silence is None


@pytest.mark.parametrize(("watch", "ended"), [("1m", False), ("0s", True)])
async def test_a_silence_with_a_figure_ends_when_nobody_measures_it(watch: str, ended: bool) -> None:
    """Pools are measured also without an incident, unless `timing.watch` says otherwise."""
    world = await World.opened(timing={"watch": watch})
    await world.done(world.silences(above="100"))
    await world.asks("resolve", surface="dialog")
    await world.passes(60)
    over = [SilenceEnded(SilenceEnd.ENDED, EndReason.NOT_MEASURED)]
    assert world.details(SilenceEnded) == (over if ended else [])
    assert world.incident.silences[0].ended is ended


async def test_a_drain_says_the_same_of_a_silence_that_outlasts_it() -> None:
    world = await silenced("4h")
    world.queues(0)
    await world.passes(180)
    assert world.incident.state is State.DRAINED
    (details,) = [one.details for one in world.incident.log.timeline if one.event is Event.DRAINED]
    assert isinstance(details, IncidentEnded)
    assert details.summary.silences
    assert ends_it(world) == world.incident.silences[0].act


@pytest.mark.parametrize("surface", ["mention", "command"])
@pytest.mark.parametrize("queued", [79, None])
async def test_the_verb_asks_as_the_menu_does_while_jobs_are_queued(
    world: World, surface: str, queued: int | None
) -> None:
    """By a mention in words with a button, since only a click can open the dialog."""
    (warning,) = unfinished_words({POOL: queued}, 0)
    await world.opens()
    world.queues(queued)
    await world.passes(120)
    question = await world.asks("resolve", surface=Surface(surface), thread=world.incident.thread.root, trigger="t1")
    assert warning in (whisper(question).text if surface == "mention" else str(question.view))
    assert not world.incident.closed
    if surface == "mention":
        assert request_id(world.incident, "resolve") in str(whisper(question).blocks)
        assert warning in str(dialog(await world.asks("resolve")))
    await world.asks("resolve", surface="dialog")
    assert world.incident.closed


async def test_the_verb_asks_while_runners_are_borrowed() -> None:
    world = await CareWorld.opened()
    await world.scaled(24)
    world.queues(0)
    await world.passes(30)
    question = whisper(await world.says("resolve"))
    assert unfinished_words({}, 14)[0] in question.text
    assert not world.incident.closed


async def test_the_verb_closes_at_once_when_all_is_calm(world: World) -> None:
    await world.opens()
    world.queues(0)
    await world.passes(30)
    assert (await world.says("resolve")).whisper is None
    assert world.incident.closed
