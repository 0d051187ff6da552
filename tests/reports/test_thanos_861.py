"""thanos-io/thanos#861 and #6256: a pair of Prometheus keeps its replica label, so that each alert comes twice."""

from bot.core.incident.incident import State
from tests.world import World, spoken

PAIR = (spoken("a", replica="0"), spoken("b", replica="1"))


async def test_both_are_one_thread_and_one_silence_that_ends_with_the_second(world: World) -> None:
    await world.opens(*PAIR)
    await world.done(world.silences())
    (silence,) = world.alertmanager.silences.values()
    assert "replica" not in {matcher.name for matcher in silence.matchers}
    await world.done(world.fires(spoken("a", firing=False, replica="0"), PAIR[1]))
    assert world.incident.state is State.OPEN
    await world.done(world.fires(spoken("a", firing=False, replica="0"), spoken("b", firing=False, replica="1")))
    assert world.incident.group.firing == ()
