"""hashicorp/nomad-autoscaler#516: a query that divides by what is 0 gives no number."""

from bot.core.incident.incident import State
from tests.reports.fleet import Fleet


async def test_what_is_no_number_drains_nothing() -> None:
    fleet = Fleet()
    prom = fleet.prometheus(queued=30, oldest_wait_seconds=2400, busy=20, idle=0)
    await fleet.fires()
    prom.figures |= {"queued": float("nan"), "oldest_wait_seconds": float("nan")}
    await fleet.resolves(10)
    assert (fleet.state, fleet.now.queued) == (State.EASING, None)
    assert "NaN, which is no figure" in fleet.says
