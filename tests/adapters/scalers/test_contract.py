"""The same promises for every kind of scaler, each over real HTTP, real processes or its own protocol."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.adapters.registry import SCALERS
from bot.ports import Failure, Refused, Unreachable
from tests.adapters.scalers.worlds import World, world_of

LEVERS = ["fake", "kubernetes field", *sorted({*SCALERS} - {"none"})]


@pytest.fixture(params=LEVERS)
async def world(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[World]:
    """Every kind of scaler, and the fake of all other tests, at 10."""
    async with world_of(request.param, tmp_path) as made:
        yield made


async def test_what_is_set_can_be_read(world: World) -> None:
    """The level is what the stories judge by, and the limit what they clamp to."""
    capacity = await world.scaler.read()
    assert (capacity.level, capacity.size, capacity.maximum) == (10, 10, world.most)


async def test_a_target_is_absolute_and_asked_twice_it_is_one(world: World) -> None:
    await world.scaler.set(24, "act-1")
    assert world.level() == 24
    await world.scaler.set(24, "act-1")
    assert world.level() == 24
    assert (await world.scaler.read()).level == 24


async def test_a_lost_answer_is_doubt_and_the_level_tells_what_happened(world: World) -> None:
    """Applied and never answered: the caller reads back before it asks again (P5)."""
    world.silent()
    with pytest.raises(Unreachable) as caught:
        await world.scaler.set(12, "act-1")
    assert caught.value.failure is Failure.UNKNOWN
    assert (await world.scaler.read()).level == 12


async def test_what_somebody_else_raised_is_seen(world: World) -> None:
    """So that it is never lowered by a target that was judged before."""
    world.moved(20)
    assert (await world.scaler.read()).level == 20


async def test_above_its_own_limit_nothing_is_set(world: World) -> None:
    """It says the limit; where the back end has none there is nothing to say."""
    if world.most is None:
        assert (await world.scaler.read()).maximum is None
        return
    with pytest.raises(Refused, match=r"\b40\b"):
        await world.scaler.set(41, "act-1")
    assert world.level() == 10


async def test_a_missing_right_is_told_and_not_tried_again(world: World) -> None:
    world.forbidden()
    for call in (world.scaler.read(), world.scaler.set(24, "act-1")):
        with pytest.raises((Refused, Unreachable)) as caught:
            await call
        assert getattr(caught.value, "failure", Failure.CREDENTIALS) is Failure.CREDENTIALS
    assert world.level() == 10


async def test_extra_capacity_goes_back_where_it_can(world: World) -> None:
    """A hand-back is a lower absolute target; what cannot go down says so, and stays."""
    await world.scaler.set(24, "act-1")
    if world.lowers:
        await world.scaler.set(10, "act-2")
        assert world.level() == 10
        return
    with pytest.raises(Refused, match="end by themselves"):
        await world.scaler.set(10, "act-2")
    assert world.level() == 24
