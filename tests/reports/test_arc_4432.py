"""actions/actions-runner-controller#4432: the listener is gone, and warm runners stay online beside the queue."""

from bot.core.incident.incident import State
from tests.adapters.github.standin import LABEL
from tests.reports.fleet import Fleet


async def test_idle_runners_without_a_listener_get_no_job_and_nothing_has_drained() -> None:
    """The controller's series are all that is left of ARC's."""
    fleet = Fleet()
    prom = fleet.prometheus("arc", queued=0, busy=0, idle=2, limit=20, booting=0, failed=0)
    github = fleet.github()
    for _ in range(2):
        github.runner(LABEL)
    run = github.run(1, age=2400)
    for number in (11, 12, 13):
        github.job(run, number, age=2400)
    await fleet.fires()
    for figure in ("queued", "busy", "idle", "limit"):
        del prom.figures[figure]
    await fleet.passes(5)
    assert (fleet.now.queued, fleet.now.idle) == (3, 2)
    assert "idle runners are not getting the jobs" in await fleet.diagnosis()
    await fleet.resolves(10)
    assert fleet.state is State.EASING
