"""The rails of a scale action hold when it is done, too: the kill switch, and the cap on the cost of all of them."""

from bot.core.incident.details.requests import RequestNotDone
from bot.core.pool.outlook import RunnerPrice
from bot.core.scaling.limits import LimitHit, LimitReason
from bot.ports import Failure
from bot.views.words import refusals
from bot.views.words.scaling import limit_words
from tests.scaling.care import BEN, CareWorld
from tests.world import refused


def too_expensive(extra: int, limit: int, most: float) -> str:
    """Runners at 0.50 an hour."""
    cost = extra * 0.5
    hit = LimitHit(LimitReason.TOO_EXPENSIVE, limit=limit, extra=extra, cost_per_hour=cost, max_cost_per_hour=most)
    return limit_words(hit)


async def test_the_cap_on_cost_holds_for_all_raises_together() -> None:
    world = await CareWorld.opened(price=RunnerPrice(0.5), max_cost_per_hour=5.0)
    await world.scaled(20)
    assert world.scaler.current == 20
    await refused(too_expensive(11, 20, 5.0), world.wants(21))


async def test_the_cap_on_cost_counts_again_when_it_is_done() -> None:
    """Two people were each allowed what together is too much: the scaler is not called for the second one."""
    world = await CareWorld.opened(price=RunnerPrice(0.5), max_cost_per_hour=5.0)
    await world.wants(16)
    second = await world.wants(20, BEN)
    world.policy(price=RunnerPrice(0.5), max_cost_per_hour=4.0)
    await world.work()
    assert [target for target, _ in world.scaler.effects] == [16]
    assert too_expensive(10, 18, 4.0) in (await world.now(second)).outcome


async def test_what_was_handed_back_costs_nothing_any_more() -> None:
    world = await CareWorld.opened(price=RunnerPrice(0.5), max_cost_per_hour=5.0)
    raised = await world.scaled(20)
    await world.done(world.presses("hand_back", request_id=raised.id))
    assert world.scaler.current == 10
    await world.scaled(20)
    assert world.scaler.current == 20


async def test_the_kill_switch_stops_a_raise_that_is_being_checked() -> None:
    world = await CareWorld.opened()
    await world.wants(24)
    world.scaler.script.fail("set", Failure.UNKNOWN)
    await world.work()
    world.actions(enabled=False)
    sent = len(world.scaler.requests)
    await world.passes(600, step=30)
    assert len(world.scaler.requests) == sent
    assert world.scaler.current == 10
    assert refusals.ACTIONS_OFF in {one.why for one in world.details(RequestNotDone)}
