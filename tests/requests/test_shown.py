"""What a dialog showed: kept for each person and each dialog, for as long as the question stays good."""

from bot.core.alert import Matcher
from bot.core.requests.interaction import Interaction, Surface
from bot.requests.submit import KEPT_SECONDS, recall, remember
from tests.builders import CHANNEL
from tests.world import ANA, BEN, TEAM, World

MATCHERS = (Matcher("queue", "linux"),)


def pressed(request_id: str, who: str = ANA) -> Interaction:
    return Interaction("scale_up", who, TEAM, CHANNEL, Surface.BUTTON, f"{request_id}.{who}", request_id)


async def test_it_is_remembered_for_whoever_saw_it_and_then_forgotten() -> None:
    world = World()
    for shown in (MATCHERS[:0], MATCHERS):
        await remember(world.context, pressed("i1.abc"), shown)
        assert (await recall(world.context, pressed("i1.abc"))).matchers == shown
    for other in (pressed("i1.abc", BEN), pressed("i2.abc")):
        assert not (await recall(world.context, other)).matchers
    world.clock.advance(KEPT_SECONDS + 1)
    assert not (await recall(world.context, pressed("i1.abc"))).matchers
