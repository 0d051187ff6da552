"""The chart on request: a reply in the thread, where something is measured and enough of it is known."""

from bot.core.incident.timeline import Event
from bot.incidents.actions import chart_button
from tests.builders import incident, view
from tests.world import ANA, World, refused


def test_it_is_offered_only_where_a_pool_is_measured() -> None:
    assert chart_button.ACTION.label is not None
    assert chart_button.ACTION.label(incident(), view()) is not None
    assert chart_button.ACTION.label(incident(candidates=()), view()) is None


async def test_the_reply_says_who_asked_and_shows_the_queue(world: World) -> None:
    await world.opens()
    world.queues(30)
    await world.passes(300, step=30)
    await world.done(world.asks("chart", ANA))
    assert world.incident.log.timeline[-1].event is Event.CHARTED
    assert f"<@{ANA}> asked for the chart" in world.replies[-1]


async def test_a_queue_of_which_nothing_is_known_is_not_drawn(world: World) -> None:
    world.metrics.script.fail("snapshot", times=None)
    await world.fires()
    await refused("not enough figures for a chart", world.asks("chart", ANA))
