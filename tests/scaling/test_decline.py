"""A second person says no, or who asked takes it back: nothing is done."""

import pytest

from bot.ports import Refused
from tests.builders import POOL
from tests.scaling.care import ANA, BEN, CAM, DAN, awaiting


async def test_declined_means_nothing_is_done() -> None:
    world = await awaiting()
    request = world.request.id
    await world.done(world.presses("decline", BEN))
    assert f"<@{BEN}> declined scaling {POOL} from 10 to 24 runners, requested by <@{ANA}>." in world.replies[-1]
    assert world.buttons() == []
    with pytest.raises(Refused, match="nothing left to decide: declined"):
        await world.presses("approve", DAN, request_id=request)
    assert world.scaler.requests == []


async def test_who_asked_may_take_it_back() -> None:
    world = await awaiting()
    await world.done(world.presses("decline", ANA))
    assert "withdrew the request" in world.replies[-1]


async def test_a_stranger_may_not_decline() -> None:
    world = await awaiting()
    with pytest.raises(Refused, match=r"permissions\.approve"):
        await world.presses("decline", CAM)
