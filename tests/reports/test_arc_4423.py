"""actions/actions-runner-controller#4423: jobs are assigned, and the controller keeps zero replicas."""

from bot.core.incident.incident import State
from tests.reports.fleet import Fleet


async def test_machines_that_are_not_asked_for_are_the_cause() -> None:
    fleet = Fleet()
    fleet.prometheus("arc", queued=6, busy=0, idle=0, limit=20, booting=0, failed=0)
    await fleet.fires()
    await fleet.resolves(20)
    assert fleet.state is State.EASING
    assert "machines do not come" in await fleet.diagnosis()
