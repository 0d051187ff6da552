"""What is said to wait *now* was measured now: a figure of the past is left out."""

import pytest

from bot.core.incident.details.requests import RunnersReturned
from bot.ports import Failure
from tests.world import World


@pytest.fixture
async def world(world: World) -> World:
    await world.opens(queued=69)
    return world


@pytest.mark.parametrize(("queued", "normal"), [(0, True), (70, False), (None, False)])
async def test_the_figure_is_measured_when_it_is_told(world: World, queued: int | None, normal: bool) -> None:
    """57 min after a close it said "69 jobs waiting now, as many as is normal here", while status said 0.

    Without a measurement nothing is said of now.
    """
    await world.wants(15)
    await world.passes(300, step=30)
    await world.done(world.asks("resolve", surface="dialog"))
    world.clock.advance(3420)
    if queued is None:
        world.metrics.script.fail("snapshot", Failure.UNCONNECTED, times=None)
    else:
        world.queues(queued)
    await world.done(world.says("hand_back"))
    assert [(one.waiting, one.normal) for one in world.details(RunnersReturned)] == [(queued, normal)]
