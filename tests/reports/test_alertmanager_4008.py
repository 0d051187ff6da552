"""prometheus/alertmanager#4008 and #2447: one replica has told the end, and another tells both once more.

It flushed its group some milliseconds before it heard that the alert had resolved.
"""

from bot.core.incident.incident import State
from bot.incidents.intake import Taken
from tests.world import World, spoken


async def test_the_firing_that_comes_after_the_end_opens_nothing(world: World) -> None:
    await world.opens()
    await world.done(world.fires(spoken(firing=False)))
    replies = len(world.replies)
    world.clock.advance(15)
    assert await world.done(world.fires()) is Taken.REPEATED
    assert (world.incident.state, len(world.replies)) == (State.EASING, replies)
    await world.passes(300)
    assert await world.done(world.fires(spoken(firing=False))) is Taken.REPEATED
    world.queues(0)
    await world.passes(120)
    assert world.incident.state is State.DRAINED
