"""actions/runner#3872: hundreds of runs are queued for good, never get a job and cannot be cancelled."""

from bot.core.incident.incident import State
from tests.adapters.github.standin import stamp
from tests.reports.fleet import Fleet


async def test_they_hide_neither_a_queue_nor_its_end() -> None:
    fleet = Fleet()
    github, now = fleet.github(limit=40), fleet.clock.now()
    for number in range(400):
        at = now - 3600 * (8 + number)
        github.run(1000 + number, age=now - at, updated_at=stamp(at))
    run = github.run(1)
    github.job(run, 11, age=1200)
    await fleet.fires()
    await fleet.passes(1)
    assert fleet.now.queued == 1
    await fleet.passes(5)
    github.over(run)
    await fleet.resolves(10)
    assert (fleet.now.queued, fleet.state) == (0, State.DRAINED)
