"""A second person agrees: somebody else, with permission, in time, to exactly what was asked for."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest

from bot.core.incident.details.requests import RequestEnd, RequestNotDone, ScaleAccepted, ScaleRequest, ScaleStep
from bot.core.record import Change, Put
from bot.core.requests.interaction import Surface
from bot.core.requests.request import Progress, Request, ScaleUp
from bot.core.scaling.limits import LimitHit, LimitReason
from bot.ports import Failure
from bot.views.words import refusals
from bot.views.words.scaling import limit_words
from tests.builders import POOL
from tests.scaling.care import ANA, BEN, DAN, CareWorld, awaiting
from tests.world import refused


async def test_a_target_above_the_threshold_waits_for_a_second_person() -> None:
    world = await awaiting()
    assert world.scaler.requests == []
    assert world.request.progress is Progress.AWAITING
    details = ScaleRequest(ScaleStep.APPROVAL_ASKED, POOL, 10, 24, seconds=900.0)
    assert (world.last.who, world.last.details) == (ANA, details)
    assert f"<@{BEN}>" in world.replies[-1]
    assert world.buttons() == [("Approve", world.request.id), ("Decline", world.request.id)]


async def test_somebody_else_approves_and_then_it_is_done_once() -> None:
    world = await awaiting()
    await world.done(world.presses("approve", DAN))
    assert world.scaler.effects == [(24, world.request.id)]
    (accepted,) = world.details(ScaleAccepted)
    assert (world.last.who, world.last.details, accepted.target, accepted.pending) == (ANA, accepted, 24, "")
    assert world.request.agreed_by == DAN
    assert f"<@{DAN}>" in world.replies[-1]
    assert world.buttons() == [("Undo", world.request.id)]
    assert [entry.who for entry in world.audit("approve")] == [DAN]
    assert world.audit("approve")[0].parameters["asked_by"] == ANA


async def test_the_one_who_asked_cannot_approve() -> None:
    world = await CareWorld.opened(approval_above=20)
    await world.done(world.wants(24, DAN))
    await refused(refusals.OWN_REQUEST, world.presses("approve", DAN))
    await world.work()
    assert world.scaler.requests == []


async def test_two_approvals_are_one() -> None:
    world = await awaiting()
    about = world.request.id
    await world.presses("approve", DAN)
    second = await refused(refusals.ALREADY_APPROVED, world.presses("approve", BEN, request_id=about))
    assert second.who == DAN
    await world.work()
    assert len(world.scaler.requests) == 1


async def test_nothing_waits_means_nothing_to_approve() -> None:
    world = await CareWorld.opened()
    await refused(refusals.NOTHING_WAITS, world.says("approve", who=DAN))


async def test_it_lapses_and_says_so() -> None:
    world = await awaiting(approval_within_seconds=600.0)
    request = world.request.id
    await world.passes(590)
    progress = world.request.progress
    assert progress is Progress.AWAITING
    await world.passes(20)
    assert world.request.progress is Progress.FAILED
    assert world.last.details == RequestNotDone(RequestEnd.LAPSED, "scale_up", POOL, 24, waited_seconds=600.0)
    assert world.buttons() == []
    nothing = refusals.nothing_to_decide(world.request.outcome)
    await refused(nothing, world.presses("approve", DAN, request_id=request))
    assert world.scaler.requests == []


async def altered(world: CareWorld, **parts: Any) -> None:
    held = await world.store.get(Request, world.request.id)
    assert held is not None
    await world.store.commit(Change(puts=(Put(held, replace(held.value, **parts), world.clock.now()),)))


async def _grows(world: CareWorld) -> None:
    world.scaler.current = 30


async def _loses_permission(world: CareWorld) -> None:
    world.configure(permissions={"scale": ["S0INFRA"], "approve": [BEN]})


async def _is_altered(world: CareWorld) -> None:
    await altered(world, body=replace(world.request.of(ScaleUp), target=30))


async def _agrees_with_itself(world: CareWorld) -> None:
    world.configure(permissions={"scale": ["S0INFRA"], "approve": [ANA, DAN]})
    await altered(world, agreed_by=ANA)


async def _has_a_smaller_step(world: CareWorld) -> None:
    world.policy(approval_above=20, step=13)


@pytest.mark.parametrize(
    ("meanwhile", "why"),
    [
        (_grows, limit_words(LimitHit(LimitReason.NOT_ABOVE, 24, 30, step=20, least=31, most=40))),
        (_loses_permission, refusals.not_on_the_list("approve")),
        (_is_altered, refusals.NOT_WHAT_WAS_AGREED),
        (_agrees_with_itself, refusals.NOT_WHAT_WAS_AGREED),
        (_has_a_smaller_step, limit_words(LimitHit(LimitReason.ABOVE_STEP, 24, 10, 23, step=13, least=11, most=23))),
    ],
)
async def test_everything_is_judged_again_at_the_moment_of_doing(
    meanwhile: Callable[[CareWorld], Awaitable[None]], why: str
) -> None:
    world = await awaiting()
    await world.presses("approve", DAN)
    await meanwhile(world)
    await world.work()
    assert world.scaler.requests == []
    assert [(one.how, one.why) for one in world.details(RequestNotDone)] == [(RequestEnd.REFUSED, why)]


async def test_a_threshold_that_came_later_counts_too() -> None:
    world = await CareWorld.opened()
    await world.wants(24)
    world.policy(approval_above=20)
    await world.work()
    assert world.scaler.requests == []
    why = refusals.nobody_agreed(20)
    assert world.last.details == RequestNotDone(RequestEnd.REFUSED, "scale_up", POOL, 24, why=why)


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        ({"channel": "C0ELSE"}, refusals.OTHER_THREADS_BUTTON),
        ({"thread": "1.1"}, refusals.OTHER_THREADS_BUTTON),
        ({"request_id": "i1.forged"}, refusals.REQUEST_UNKNOWN),
    ],
    ids=["channel", "thread", "id"],
)
async def test_a_button_that_stands_elsewhere_does_nothing(parts: dict[str, str], why: str) -> None:
    """The value is only an id: channel, thread and record must fit (C8)."""
    world = await awaiting()
    await refused(why, world.presses("approve", DAN, **parts))
    await world.work()
    assert world.scaler.requests == []


async def test_an_approval_that_is_too_late_for_the_clock_records_nothing() -> None:
    world = await awaiting()
    world.clock.advance(901)
    await refused(refusals.APPROVAL_LAPSED, world.presses("approve", DAN))
    assert world.request.progress is Progress.AWAITING


async def test_an_incident_that_is_over_takes_no_approval() -> None:
    world = await awaiting()
    request = world.request.id
    await world.asks("resolve", surface=Surface.DIALOG)
    await refused(refusals.INCIDENT_OVER, world.presses("approve", DAN, request_id=request))


async def test_what_nobody_could_approve_is_refused_when_it_is_asked() -> None:
    world = await CareWorld.opened(approval_above=20)
    await refused(refusals.approve_in_thread(20), world.types("scale_up", POOL, "24"))
    world.configure(permissions={"scale": ["S0INFRA"]})
    await refused(refusals.nobody_approves(20), world.says("scale_up", POOL, "24"))


async def test_buttons_of_a_deleted_reply_are_given_up() -> None:
    world = await awaiting()
    (reply,) = [m for m in world.chat.thread(world.incident.thread.root or "") if m.ts]
    world.chat.delete(reply.channel, reply.ts)
    await world.done(world.presses("approve", DAN))
    assert world.incident.log.redraw == ()
    assert len(world.chat.parents()) == 1


async def test_a_reply_that_is_decided_before_it_is_posted_has_no_buttons() -> None:
    world = await CareWorld.opened(approval_above=20)
    world.chat.script.fail("post", Failure.LATER, times=1, retry_after_seconds=5.0)
    await world.done(world.wants(24))
    await world.says("approve", who=DAN)
    await world.passes(10)
    assert [label for label, _ in world.buttons()] == ["Undo"]
    assert world.scaler.current == 24
