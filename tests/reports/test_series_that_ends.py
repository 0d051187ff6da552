"""buildkite/buildkite-agent-metrics: a queue without jobs and agents disappears from what is exported."""

from bot.core.incident.incident import State
from tests.reports.fleet import Fleet


async def test_a_series_that_is_gone_is_no_empty_queue() -> None:
    fleet = Fleet()
    prom = fleet.prometheus("buildkite", queued=9, busy=3, idle=0)
    await fleet.fires()
    prom.figures.clear()
    await fleet.resolves(10)
    assert (fleet.state, fleet.now.queued) == (State.EASING, None)
