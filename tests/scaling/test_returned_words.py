"""What is said to wait *now* was measured now: a figure of the past is left out."""

import pytest

from bot.core.incident.details.requests import ReturnReason, ReturnResult, RunnersReturned
from bot.ports import Failure
from bot.views.words.scaling import returned_lines
from tests.builders import POOL
from tests.world import World


@pytest.fixture
async def world(world: World) -> World:
    await world.opens(queued=69)
    return world


@pytest.mark.parametrize(("queued", "said"), [(0, ""), (70, "70 jobs waiting now.")])
async def test_the_figure_is_measured_when_it_is_told(world: World, queued: int, said: str) -> None:
    """57 min after a close it said "69 jobs waiting now, as many as is normal here", while status said 0."""
    await world.wants(15)
    await world.passes(300, step=30)
    await world.asks("resolve", surface="dialog")
    await world.work()
    world.clock.advance(3420)
    world.queues(queued)
    await world.says("hand_back")
    await world.work()
    assert "69 jobs" not in world.replies[-1]
    assert "as is normal" not in world.replies[-1]
    assert said in world.replies[-1]
    assert ("waiting now" in world.replies[-1]) is bool(said)


async def test_without_a_measurement_nothing_is_said_of_now(world: World) -> None:
    await world.wants(15)
    await world.passes(300, step=30)
    await world.asks("resolve", surface="dialog")
    await world.work()
    world.clock.advance(3420)
    world.metrics.script.fail("snapshot", Failure.UNCONNECTED, times=None)
    await world.says("hand_back")
    await world.work()
    assert "waiting now" not in world.replies[-1]


@pytest.mark.parametrize(
    ("waiting", "normal", "expected"),
    [
        (3, True, "3 jobs waiting now, as many as is normal here."),
        (69, False, "69 jobs waiting now."),
        (None, False, None),
        (0, True, None),
    ],
)
def test_as_many_as_is_normal_needs_that_number(waiting: int | None, normal: bool, expected: str | None) -> None:
    """Whatever the reason of the return."""
    said = RunnersReturned(
        ReturnResult.RETURNED, POOL, 15, 10, why=ReturnReason.DRAINED, waiting=waiting, normal=normal
    )
    assert [line for line in returned_lines(said) if "waiting" in line] == ([expected] if expected else [])
