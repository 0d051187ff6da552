"""VictoriaMetrics/VictoriaMetrics#134 and #4115: while a storage node is down, answers lack its series and say so."""

from bot.core.incident.incident import State
from tests.reports.fleet import Fleet


async def test_the_zero_of_the_nodes_that_are_left_drains_nothing() -> None:
    fleet = Fleet()
    prom = fleet.prometheus(queued=30, oldest_wait_seconds=2400, busy=20, idle=0)
    await fleet.fires()
    prom.figures |= {"queued": 0, "oldest_wait_seconds": 0}
    prom.more["isPartial"] = True
    await fleet.passes(5)
    await fleet.resolves()
    assert (fleet.state, fleet.now.queued) == (State.EASING, None)
    assert "some of VictoriaMetrics' storage nodes did not answer" in fleet.says
    prom.more.clear()
    await fleet.passes(5)
    assert fleet.state is State.DRAINED
