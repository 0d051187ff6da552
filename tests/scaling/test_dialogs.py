"""The sizes that a dialog showed: kept for each person and each dialog, for as long as the question stays good."""

from bot.core.requests.interaction import Interaction, Surface
from bot.scaling.dialogs import remember, size_shown
from tests.builders import CHANNEL, POOL
from tests.world import ANA, BEN, TEAM, World


def pressed(request_id: str, who: str = ANA) -> Interaction:
    """Scale up, pressed on a first message."""
    return Interaction("scale_up", who, TEAM, CHANNEL, Surface.BUTTON, f"{request_id}.{who}", request_id)


async def test_a_size_is_remembered_for_whoever_saw_it() -> None:
    """By person, dialog and pool; the newest dialog counts."""
    world = World()
    await remember(world.context, pressed("i1.abc"), {POOL: 10})
    assert await size_shown(world.context, pressed("i1.abc"), POOL) == 10
    await remember(world.context, pressed("i1.abc"), {POOL: 12})
    assert await size_shown(world.context, pressed("i1.abc"), POOL) == 12
    assert await size_shown(world.context, pressed("i1.abc", BEN), POOL) is None
    assert await size_shown(world.context, pressed("i2.abc"), POOL) is None
    assert await size_shown(world.context, pressed("i1.abc"), "other") is None


async def test_it_is_forgotten_with_the_question() -> None:
    """Nothing is left behind."""
    world = World()
    await remember(world.context, pressed("i1.abc"), {POOL: 10})
    world.clock.advance(901)
    assert await size_shown(world.context, pressed("i1.abc"), POOL) is None
