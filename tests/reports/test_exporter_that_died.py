"""buildkite/buildkite-agent-metrics and others: an exporter dies, and its last figures stay for five minutes.

Prometheus looks back so long (prometheus.io/docs/prometheus/latest/querying/basics, Staleness).
"""

from bot.core.incident.incident import State
from tests.reports.fleet import Fleet


async def test_an_old_zero_drains_nothing() -> None:
    fleet = Fleet()
    prom = fleet.prometheus(queued=30, oldest_wait_seconds=2400, busy=20, idle=0)
    await fleet.fires()
    prom.figures |= {"queued": 0, "oldest_wait_seconds": 0}
    prom.scraped = fleet.clock.now() - 200
    await fleet.resolves(10)
    assert fleet.state is State.EASING
