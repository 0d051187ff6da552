"""Extra capacity goes back: after the drain, at the lease's end, or by hand; never below what others set since."""

import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from bot.core.incident.details.requests import (
    LeaseNoted,
    LeaseStep,
    RequestEnd,
    RequestNotDone,
    ReturnBlock,
    ReturnReason,
    ReturnResult,
    RunnersChecked,
    RunnersReturned,
    ScaleAccepted,
)
from bot.core.record import Conflict
from bot.core.requests.request import Progress
from bot.ports import Capacity, Failure, Refused
from bot.views.words import refusals
from bot.views.words.scaling import returned_words
from tests.builders import POOL
from tests.scaling.care import ANA, BEN, CareWorld
from tests.world import OTHER_POOL, World, refused


async def lent(target: int = 24, queued: int = 14, **policy: object) -> CareWorld:
    """The pool was raised from 10, and the runners came."""
    world = CareWorld(**policy)
    world.runners(10, queued=queued)
    await world.opens(queued=queued)
    world.runners(10, queued=queued)
    await world.scaled(target)
    world.runners(target, queued=queued)
    await world.passes(60)
    return world


async def test_it_goes_back_when_the_lease_ends() -> None:
    """Two hours later at the latest, to what was before, with an intent in the trail before the effect."""
    world = await lent()
    await world.passes(7400, step=370)
    assert world.scaler.current == 10
    assert [entry.outcome for entry in world.audit("hand_back")][:2] == ["asked: ended", "sent"]
    assert world.audit("hand_back")[1].before == "24"
    assert world.audit("hand_back")[0].who == "tailback"
    assert world.last.details == RunnersReturned(
        ReturnResult.RETURNED, POOL, 24, 10, why=ReturnReason.ENDED, waiting=14
    )
    assert world.lease.leases == ()
    assert world.due("lease") is None


async def test_it_goes_back_when_the_queue_has_been_empty_for_a_while() -> None:
    """Not at the first empty sample: ten minutes in a row (hysteresis)."""
    world = await lent()
    world.runners(24, busy=2, queued=0)
    await world.passes(590, step=30)
    assert world.scaler.current == 24
    await world.passes(90, step=30)
    assert world.scaler.current == 10
    assert [one.why for one in world.details(RunnersReturned)] == [ReturnReason.DRAINED]


async def test_a_queue_that_fills_again_keeps_it() -> None:
    world = await lent()
    for queued in (0, 5, 0):
        world.runners(24, queued=queued)
        await world.passes(300, step=30)
    assert world.scaler.current == 24


async def test_an_unknown_queue_is_not_empty() -> None:
    world = await lent()
    world.queues(None)
    await world.passes(1200, step=30)
    assert world.scaler.current == 24


async def test_it_goes_back_after_the_incident_is_over() -> None:
    world = await lent()
    await world.asks("resolve", surface="dialog")
    world.runners(24, busy=0, queued=0)
    await world.passes(900, step=30)
    assert world.incident.closed
    assert world.scaler.current == 10
    assert [one.result for one in world.details(RunnersReturned)] == [ReturnResult.RETURNED]


@pytest.mark.parametrize(
    ("level", "result"),
    [(30, ReturnResult.MOVED), (20, ReturnResult.MOVED), (8, ReturnResult.NOTHING_LEFT)],
    ids=["higher", "lower", "below the base"],
)
async def test_what_somebody_else_set_meanwhile_is_left(level: int, result: ReturnResult) -> None:
    world = await lent()
    world.scaler.current = level
    await world.passes(7400, step=370)
    assert (world.scaler.current, len(world.scaler.effects), world.lease.leases) == (level, 1, ())
    assert [(one.result, one.level, one.target) for one in world.details(RunnersReturned)] == [(result, level, None)]


async def test_two_leases_go_back_to_the_higher_of_what_remains() -> None:
    world = await lent(20)
    await world.passes(600, step=60)
    world.runners(20)
    await world.scaled(30, BEN)
    world.runners(30)
    await world.passes(6660, step=180)
    assert world.scaler.current == 30
    assert [(one.result, one.level) for one in world.details(RunnersReturned)] == [(ReturnResult.LEASED, 30)]
    await world.passes(700, step=60)
    assert world.scaler.current == 10


async def test_the_second_lease_goes_back_to_the_first_ones_level() -> None:
    world = await lent(20)
    world.runners(20)
    newer = await world.scaled(30, BEN)
    world.runners(30)
    await world.passes(60)
    await world.done(world.presses("hand_back", BEN, request_id=newer.id))
    assert world.scaler.current == 20
    assert [lease.target for lease in world.lease.leases] == [20]


async def test_what_others_set_before_the_second_raise_is_the_new_base() -> None:
    world = await lent(20)
    world.scaler.current = 25
    world.runners(25)
    await world.scaled(30, BEN)
    await world.passes(7400, step=370)
    assert world.scaler.current == 25


async def test_the_scalers_own_minimum_holds() -> None:
    world = await lent()
    world.scaler.minimum = 12
    await world.passes(7400, step=370)
    assert world.scaler.current == 12


async def test_by_hand_it_goes_back_at_once_and_once() -> None:
    world = await lent()
    request = world.offering("hand_back").about
    assert ("Undo", request) in world.buttons()
    await world.presses("hand_back", BEN)
    second = await refused(refusals.already_requested(0.0), world.presses("hand_back", ANA, request_id=request))
    assert second.who == BEN
    await world.work()
    assert world.scaler.current == 10
    (returned,) = world.details(RunnersReturned)
    assert (world.last.who, returned.result, returned.target) == (BEN, ReturnResult.RETURNED, 10)
    assert world.buttons() == []
    await refused(refusals.RETURNED, world.presses("hand_back", request_id=request))


async def test_by_hand_a_named_pool_is_the_one_that_goes_back() -> None:
    world = await lent()
    await refused(refusals.NOTHING_WAITS, world.says("hand_back", OTHER_POOL))
    await world.done(world.says("hand_back", POOL))
    assert world.scaler.current == 10


@pytest.mark.parametrize("meets", ["a lost permission", "shadow mode"])
async def test_a_hand_back_that_is_stopped_on_the_way_is_not_done_and_the_lease_stays(meets: str) -> None:
    world = await lent()
    await world.presses("hand_back", BEN)
    if meets == "shadow mode":
        world.actions(shadow=True)
    else:
        world.chat.groups["S0INFRA"] = frozenset({ANA})
    await world.work()
    assert world.scaler.current == 24
    world.actions()
    await world.passes(7400, step=370)
    assert world.scaler.current == 10


@pytest.mark.parametrize(
    ("off", "why"),
    [({"enabled": False}, ReturnBlock.ACTIONS_OFF), ({"shadow": True}, ReturnBlock.SHADOW_MODE)],
    ids=["kill switch", "shadow mode"],
)
async def test_a_switch_holds_it_up_and_says_so_once(off: dict[str, bool], why: ReturnBlock) -> None:
    world = await lent()
    world.actions(**off)
    await world.passes(7500, step=300)
    blocked = [noted.why for noted in world.details(LeaseNoted) if noted.step is LeaseStep.CANNOT_RETURN]
    assert (world.scaler.current, blocked) == (24, [why])
    world.actions()
    await world.passes(180, step=60)
    assert world.scaler.current == 10


async def test_in_shadow_mode_there_is_no_lease() -> None:
    world = CareWorld()
    world.actions(shadow=True)
    await world.opens()
    await world.scaled()
    world.actions()
    await world.passes(7400, step=370)
    assert world.scaler.requests == []


async def test_without_a_lease_in_the_policy_it_stays() -> None:
    world = await lent(lease_seconds=None)
    assert [accepted.lease.seconds for accepted in world.details(ScaleAccepted)] == [None]
    await world.passes(9000, step=300)
    assert world.scaler.current == 24
    await world.done(world.presses("hand_back"))
    assert world.scaler.current == 10


async def test_a_scaler_that_does_not_answer_is_asked_again_later() -> None:
    world = await lent()
    world.scaler.script.fail("set", Failure.UNCONNECTED, times=None)
    await world.passes(7400, step=60)
    assert world.scaler.current == 24
    assert {one.how for one in world.details(RequestNotDone)} & {RequestEnd.FAILED, RequestEnd.UNKNOWN}
    world.scaler.script.heal()
    await world.passes(1200, step=60)
    assert world.scaler.current == 10


@pytest.mark.parametrize("arrived", [True, False])
async def test_a_hand_back_without_an_answer_is_read_back(arrived: bool) -> None:
    world = await lent()
    world.scaler.script.fail("set", Failure.UNKNOWN, after=arrived)
    await world.done(world.presses("hand_back"))
    await world.passes(60)
    assert world.scaler.current == 10
    assert len(world.scaler.effects) == 2


async def test_a_raise_that_nobody_confirmed_is_handed_back_too() -> None:
    world = await CareWorld.opened()
    world.scaler.script.fail("set", Failure.UNKNOWN, after=True, times=None)
    world.scaler.script.fail("read", Failure.UNKNOWN, times=None, skip=4)
    request = await world.scaled()
    await world.passes(600)
    assert (await world.now(request)).doubtful
    assert world.scaler.current == 24
    assert [one.how for one in world.details(RequestNotDone)][-1] is RequestEnd.UNKNOWN
    assert world.offering("hand_back").about == request.id
    world.scaler.script.heal()
    await world.passes(7400, step=370)
    assert world.scaler.current == 10


async def test_a_raise_that_was_refused_leaves_no_lease() -> None:
    world = await CareWorld.opened()
    request = await world.wants(24)
    world.scaler.script.fail("set", error=Refused("no quota"))
    await world.work()
    assert (await world.now(request)).progress is Progress.FAILED
    assert world.lease.leases == ()


async def test_no_raise_begins_while_a_hand_back_is_under_way() -> None:
    world = await lent(20)
    await world.presses("hand_back", BEN)
    raised = await world.wants(30)
    claims = {claim.id: claim for claim in await world.claims("act")}
    await world.tell(claims[raised.id])
    assert (await world.now(raised)).progress is Progress.FAILED
    assert refusals.returning_now(POOL) in (await world.now(raised)).outcome
    assert [target for target, _ in world.scaler.requests] == [20]


async def test_without_an_incident_its_asker_is_told() -> None:
    """`/queue scale` where no incident is open: the hand-back is whispered to who raised it."""
    world = CareWorld()
    world.runners(10)
    await world.types("scale_up", POOL, "24")
    await world.done(world.confirms(await World.asks(world, "scale_up", request_id=world.request.id)))
    world.runners(24)
    await world.passes(7400, step=370)
    assert world.scaler.current == 10
    texts = [message.text for _, who, message, _ in world.chat.whispers if who == ANA]
    assert any("extra runners came" in text for text in texts)
    assert any(returned_words(RunnersReturned(ReturnResult.RETURNED, POOL, 24, 10)) in text for text in texts)


async def test_it_works_from_the_moment_the_autoscaler_has_accepted() -> None:
    """Before any runner came, in words too; the runners are never verified, and nothing is left to hand back."""
    for press in (True, False):
        world = await CareWorld.opened(10)
        request = await world.scaled()
        assert world.buttons() == [("Undo", request.id)]
        await (world.presses("hand_back", BEN) if press else world.says("hand_back", who=BEN))
        await world.work()
        assert (world.scaler.current, world.lease.leases, world.buttons()) == (10, (), [])
        await world.passes(7400, step=370)
        assert [target for target, _ in world.scaler.effects] == [24, 10]
        assert world.details(RunnersChecked) == []


async def test_a_scaler_that_still_answers_the_old_size_is_lowered_all_the_same() -> None:
    world = await CareWorld.opened(10)
    await world.scaled()
    read = world.scaler.read
    world.scaler.read = lambda: _late(read)  # type: ignore[method-assign]  # the fake, a moment behind
    await world.done(world.presses("hand_back", BEN))
    world.scaler.read = read  # type: ignore[method-assign]  # the fake's own
    assert world.scaler.current == 10


async def _late(read: Callable[[], Awaitable[Capacity]]) -> Capacity:
    return replace(await read(), current=10)


@pytest.mark.parametrize("first", ["lease", "act"])
async def test_a_hand_back_that_meets_the_first_look_at_the_runners_is_done_once(first: str) -> None:
    """Undo and the lease's own check are due in the same moment: whoever loses the write runs again at once."""
    world = await CareWorld.opened(10)
    await world.scaled()
    world.runners(24)
    world.clock.advance(30)
    await world.presses("hand_back", BEN)
    claims = [claim for kind in (first, *({"lease", "act"} - {first})) for claim in await world.claims(kind)]
    for claim in claims:
        with contextlib.suppress(Conflict):
            await world.tell(claim)
    await world.passes(20)
    assert (world.scaler.current, world.lease.leases) == (10, ())
    assert [target for target, _ in world.scaler.effects] == [24, 10]
