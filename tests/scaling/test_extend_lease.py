"""The end of a lease is announced, and can be put off from the thread."""

from typing import Any

import pytest

from bot.core.incident.details.requests import LeaseNoted, LeaseStep, ScaleRequest, ScaleStep
from bot.core.words import time_left
from bot.views.words import refusals
from bot.views.words.scaling import lease_words
from tests.builders import POOL
from tests.scaling.care import ANA, BEN, DAN, CareWorld
from tests.scaling.test_hand_back import lent
from tests.world import refused

EXTENDED = LeaseNoted(LeaseStep.EXTENDED, POOL, 24, 7200.0)


def steps(world: CareWorld) -> list[LeaseStep]:
    return [noted.step for noted in world.details(LeaseNoted)]


async def warned(**policy: Any) -> CareWorld:
    world = await lent(**policy)
    await world.passes(6600, step=300)
    return world


async def test_the_end_is_announced_ten_minutes_before_once() -> None:
    world = await warned()
    (noted,) = world.details(LeaseNoted)
    assert (noted.step, noted.pool, noted.target) == (LeaseStep.ENDS_SOON, POOL, 24)
    assert 540.0 <= noted.seconds <= 600.0
    labels = [label for label, _ in world.buttons()]
    assert labels[-2:] == ["Extend", "Return now"]


async def test_an_extension_counts_from_now() -> None:
    world = await warned()
    await world.done(world.presses("extend", BEN))
    assert (world.last.who, world.last.details) == (BEN, EXTENDED)
    assert [label for label, _ in world.buttons()] == ["Undo"]
    await world.passes(6000, step=300)
    assert world.scaler.current == 24
    assert [(e.who, e.outcome) for e in world.audit("extend")] == [
        (BEN, "asked"), (BEN, "sent"), (BEN, lease_words(EXTENDED))]  # fmt: skip
    await world.passes(1300, step=60)
    assert world.scaler.current == 10
    assert steps(world).count(LeaseStep.ENDS_SOON) == 2


async def test_extending_twice_is_extending_once() -> None:
    """The second press hears who was first, also when Slack delivers it again minutes later (AC-2)."""
    world = await warned()
    request = world.offering("extend").about
    await world.presses("extend", BEN, request_id=request, key="Ev1")
    await refused(refusals.already_requested(0.0), world.presses("extend", BEN, request_id=request))
    await world.work()
    ends_at = world.lease.leases[0].ends_at
    await refused(refusals.stays_anyway("2 h"), world.presses("extend", BEN, request_id=request))
    await world.passes(300, step=60)
    again = await refused("", world.presses("extend", BEN, request_id=request, key="Ev1"))
    assert str(again) == refusals.already_requested(None)
    assert world.lease.leases[0].ends_at == ends_at


async def test_what_has_gone_back_cannot_be_extended() -> None:
    world = await warned()
    request = world.offering("extend").about
    await world.done(world.presses("hand_back"))
    await refused(refusals.RETURNED, world.presses("extend", request_id=request))


async def test_without_a_lease_there_is_nothing_to_extend() -> None:
    world = await lent(lease_seconds=None)
    await refused(refusals.NO_LEASE, world.presses("extend", request_id=world.offering("hand_back").about))


async def test_in_words_it_can_be_put_off_before_the_warning() -> None:
    world = await lent()
    await world.passes(3600, step=300)
    assert not any("extend" in entry.choices for entry in world.incident.log.timeline)
    await world.done(world.says("extend", who=BEN))
    assert (world.last.who, world.last.details) == (BEN, EXTENDED)
    await refused(refusals.stays_anyway("2 h"), world.says("extend", who=BEN))
    other = CareWorld()
    await other.opens(queued=14)
    await refused(refusals.NOTHING_WAITS, other.says("extend", who=BEN))


async def test_above_the_threshold_each_extension_needs_a_second_person_again() -> None:
    world = await lent(approval_above=30)
    world.policy(approval_above=20)
    for _ in range(2):
        await world.passes(6600, step=300)
        ends_at = world.lease.leases[0].ends_at
        await world.done(world.presses("extend", BEN))
        details = ScaleRequest(ScaleStep.APPROVAL_ASKED, POOL, None, 24, seconds=900.0, keeps=True)
        assert (world.last.who, world.last.details) == (BEN, details)
        await refused(refusals.OWN_REQUEST, world.presses("approve", BEN))
        assert world.lease.leases[0].ends_at == ends_at
        await world.done(world.presses("approve", DAN))
        assert steps(world)[-1] is LeaseStep.EXTENDED
        assert (world.lease.leases[0].ends_at or 0) > (ends_at or 0)


@pytest.mark.parametrize("decision", ["decline", ""])
async def test_an_extension_that_nobody_approves_changes_nothing(decision: str) -> None:
    world = await lent(approval_above=30)
    world.policy(approval_above=20)
    await world.passes(6600, step=300)
    await world.done(world.presses("extend", ANA))
    if decision:
        await world.presses(decision, DAN)
    await world.passes(900, step=60)
    assert world.scaler.current == 10


async def test_the_longest_lease_counts_extensions() -> None:
    world = await warned(max_lease_seconds=3 * 3600.0)
    begun = world.lease.leases[0].requested_at
    await world.done(world.presses("extend", BEN))
    assert world.lease.leases[0].ends_at == begun + 3 * 3600
    longest = refusals.longest_lease(time_left(begun + 10_800.0 - world.clock.now()), 10_800.0)
    await refused(longest, world.says("extend", who=BEN))
    await world.passes(3600, step=300)
    assert [label for label, _ in world.buttons()][-1] == "Return now"
    assert "Extend" not in [label for label, _ in world.buttons()]
    assert steps(world)[-1] is LeaseStep.ENDS_FINALLY
    await world.passes(900, step=60)
    assert world.scaler.current == 10
