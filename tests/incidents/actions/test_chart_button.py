"""The chart on request: a reply in the thread, where something is measured and enough of it is known."""

from dataclasses import replace

from bot.core.incident.details.events import ChartShown
from bot.core.incident.timeline import Event
from bot.core.signals.signal import Counts, Signal, SignalKind
from bot.incidents.actions import chart_button
from bot.views.chart import charts_of
from bot.views.words import refusals
from tests.builders import POOL, incident, view
from tests.world import ANA, World, refused


def test_it_is_offered_only_where_a_pool_is_measured() -> None:
    assert chart_button.ACTION.label is not None
    assert chart_button.ACTION.label(incident(), view()) is not None
    assert chart_button.ACTION.label(incident(candidates=()), view()) is None


async def test_the_reply_names_who_asked_and_has_the_queue(world: World) -> None:
    await world.opens()
    world.queues(30)
    await world.passes(300, step=30)
    await world.done(world.asks("chart", ANA))
    last, (shown,) = world.last, world.details(ChartShown)
    assert (last.event, last.who, last.details) == (Event.CHARTED, ANA, shown)
    assert [(one.pool, one.last) for one in shown.sparks] == [(POOL, 30.0)]
    assert world.replies[-1].startswith(f"<@{ANA}> ")


async def test_the_reply_shows_the_machines_that_are_in_trouble_beside_the_queue(world: World) -> None:
    """A signal in trouble takes the place of the wait, since a message has two charts."""
    disk, registry = Signal("disk", SignalKind.DISK, 0.0, 26, source="prometheus"), unknown()
    await world.opens()
    for bad in (0, 0, 4, 9, 14, 14, 14):
        shown = (replace(disk, value=float(bad), at=world.clock.now()), registry)
        world.metrics.show(POOL, {"queued": 30, "signals": shown})
        await world.passes(60, step=30)
    await world.done(world.asks("chart", ANA))
    (details,) = world.details(ChartShown)
    assert [(one.signal.name, one.bad) for one in details.signals] == [("disk", True), ("registry", False)]
    assert [value for _, value in details.signals[0].points][-1] == 14.0
    assert (details.signals[0].signal.of, details.signals[0].signal.source) == (26, "prometheus")
    assert (details.signals[1].points, details.signals[1].signal.why) == ((), "no series")
    charts = charts_of(world.incident, world.incident.log.timeline[-1])
    assert [chart["title"] for chart in charts] == [f"{POOL}: queue", f"{POOL}: disk"]


def unknown() -> Signal:
    return Signal("registry", SignalKind.SERVICE, counts=Counts.VALUE, above=60.0, source="prometheus", why="no series")


async def test_a_queue_of_which_nothing_is_known_is_not_drawn(world: World) -> None:
    world.metrics.script.fail("snapshot", times=None)
    await world.fires()
    await refused(refusals.TOO_LITTLE_FOR_A_CHART, world.asks("chart", ANA))
