"""The first message says what a closed incident tells: when it looked like this, and how long it took."""

from typing import Any

from bot.core.record import Change
from bot.views.words.advice import before_words
from tests.builders import POOL
from tests.world import World, spoken

FULL: dict[str, Any] = {"busy": 20, "idle": 0, "offline": 0, "limit": 20, "booting": 0}


async def fires(world: World, **figures: Any) -> str:
    """An incident of a pool at its limit, five minutes later: its first message."""
    world.queues(14, 400.0, **{**FULL, **figures})
    await world.fires(spoken(starts_at=world.clock.now()))
    await world.passes(300)
    thread = world.incidents[-1].thread
    return str(next(one.message.blocks for one in world.chat.parents() if one.ts == thread.root))


async def ends(world: World) -> None:
    """It drains, and two hours pass."""
    world.queues(0, **{**FULL, "busy": 3, "idle": 2})
    await world.fires(spoken(firing=False, starts_at=world.clock.now() - 300))
    await world.passes(900, step=30)
    assert world.incidents[-1].closed
    await world.passes(7200, step=600)


async def test_the_second_incident_tells_of_the_first() -> None:
    world = World()
    await fires(world)
    assert world.incidents[-1].pools.before is None
    await ends(world)
    reply = await fires(world)
    newest = world.incidents[-1].pools
    assert newest.before is not None
    assert (newest.looked_for, newest.before.cause, newest.before.done) == ("limit", "limit", "")
    assert newest.before.seconds > 0
    line = before_words(newest.before)
    assert line in reply
    assert POOL not in line, "one line, without a name"


async def test_one_that_looks_different_is_not_told() -> None:
    world = World()
    await fires(world)
    await ends(world)
    await fires(world, busy=4, limit=40)
    assert world.incidents[-1].pools.before is None


async def test_closed_incidents_are_asked_once_for_each_first_cause() -> None:
    """They are many, so a measurement does not read them anew; what they told stays."""
    world = World()
    await fires(world)
    await ends(world)
    await fires(world)
    before = world.incidents[-1].pools.before
    await world.store.commit(Change(leave=(("ended", world.incidents[0].id),)))
    assert not await world.store.members("ended")
    await world.passes(300)
    assert world.incidents[-1].pools.before == before
