"""thanos-io/thanos#622: with a store away, a sum over clusters lacks some of them, and only a warning says so."""

from bot.core.incident.incident import State
from tests.reports.fleet import Fleet


async def test_a_sum_of_the_clusters_that_are_left_drains_nothing() -> None:
    fleet = Fleet()
    prom = fleet.prometheus(queued=30, oldest_wait_seconds=2400, busy=20, idle=0)
    await fleet.fires()
    prom.figures |= {"queued": 0, "oldest_wait_seconds": 0}
    prom.more["warnings"] = ["receive series from Addr: 10.0.0.7:10901: context deadline exceeded"]
    await fleet.resolves(10)
    assert (fleet.state, fleet.now.queued) == (State.EASING, None)
    assert "the answer is incomplete" in fleet.says
