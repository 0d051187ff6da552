"""A second person says no, or who asked takes it back: nothing is done."""

import re

from bot.views.words import refusals
from tests.builders import POOL
from tests.scaling.care import ANA, BEN, CAM, DAN, awaiting
from tests.world import refused


async def test_declined_means_nothing_is_done() -> None:
    world = await awaiting()
    request = world.request.id
    await world.done(world.presses("decline", BEN))
    assert f"<@{BEN}> declined scaling {POOL} from 10 to 24 runners, requested by <@{ANA}>." in world.replies[-1]
    assert world.buttons() == []
    over = re.escape(refusals.nothing_to_decide(world.request.outcome))
    await refused(over, world.presses("approve", DAN, request_id=request))
    assert world.scaler.requests == []


async def test_a_stranger_may_not_decline() -> None:
    world = await awaiting()
    await refused(r"permissions\.approve", world.presses("decline", CAM))
