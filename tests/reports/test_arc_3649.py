"""actions/actions-runner-controller#3420 and #3649: the listener counts no assigned job while jobs wait at GitHub."""

from bot.core.incident.incident import State
from tests.reports.fleet import Fleet


async def test_three_jobs_wait_whatever_the_listener_says() -> None:
    """ARC is named first, so that its zero would win."""
    fleet = Fleet()
    fleet.prometheus("arc", queued=0, busy=0, idle=0, limit=20, booting=0, failed=0)
    github = fleet.github()
    for number in (1, 2, 3):
        github.job(github.run(number, age=1800), 10 + number, age=1800)
    await fleet.fires()
    await fleet.resolves(10)
    assert fleet.state is State.EASING
    assert fleet.now.queued == 3
