"""A second person says no, or who asked takes it back: nothing is done."""

from bot.core.incident.details.requests import ScaleRequest, ScaleStep
from bot.views.words import refusals
from tests.builders import POOL
from tests.scaling.care import ANA, BEN, CAM, DAN, awaiting
from tests.world import refused


async def test_declined_means_nothing_is_done() -> None:
    world = await awaiting()
    request = world.request.id
    await world.done(world.presses("decline", BEN))
    declined = ScaleRequest(ScaleStep.DECLINED, POOL, 10, 24)
    assert (world.last.who, world.last.details, world.last.whom) == (BEN, declined, ANA)
    assert f"<@{ANA}>" in world.replies[-1]
    assert world.buttons() == []
    await refused(refusals.nothing_to_decide("declined"), world.presses("approve", DAN, request_id=request))
    assert world.scaler.requests == []


async def test_a_stranger_may_not_decline() -> None:
    world = await awaiting()
    await refused("permissions.approve", world.presses("decline", CAM))
