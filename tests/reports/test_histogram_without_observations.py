"""Prometheus's documentation: `histogram_quantile` of a histogram without observations is NaN.

https://prometheus.io/docs/prometheus/latest/querying/functions/#histogram_quantile
"""

from bot.core.incident.incident import State
from tests.reports.fleet import Fleet


async def test_a_wait_that_is_no_number_ends_nothing() -> None:
    """Nothing starts, so nothing was observed; the queue is still there."""
    fleet = Fleet()
    prom = fleet.prometheus(queued=30, oldest_wait_seconds=2400, busy=20, idle=0)
    await fleet.fires()
    prom.figures["oldest_wait_seconds"] = float("nan")
    await fleet.resolves(10)
    assert (fleet.now.oldest_wait_seconds, fleet.now.queued, fleet.state) == (None, 30, State.EASING)
    assert "the query gave NaN" in fleet.says
