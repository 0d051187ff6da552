"""actions/runner#756: for one look all runners are gone from the list, and they are back at the next one."""

from tests.adapters.github.standin import LABEL
from tests.reports.fleet import Fleet


async def test_an_empty_list_of_one_look_is_not_believed() -> None:
    """Neither have the machines left, nor have twelve come when the list is whole again."""
    fleet = Fleet()
    github = fleet.github(limit=40)
    for _ in range(12):
        github.runner(LABEL, busy=True)
    for number in range(1, 10):
        github.job(github.run(number, age=1200), 10 + number, age=1200)
    await fleet.fires()
    await fleet.passes(3)
    runners, github.runners = github.runners, []
    await fleet.passes(0.5)
    gone, meanwhile = (fleet.now.busy, fleet.now.idle), await fleet.diagnosis()
    github.runners = runners
    await fleet.passes(0.5)
    after = await fleet.diagnosis()
    assert (gone, fleet.now.busy, fleet.now.queued) == ((None, None), 12, 9)
    assert "0 of 40 runners" not in meanwhile
    assert "12 of 40 runners" in after
    assert "12 came" not in after


async def test_runners_that_stay_away_are_gone_after_two_minutes() -> None:
    fleet = Fleet()
    github = fleet.github(limit=40)
    github.runner(LABEL, busy=True)
    await fleet.fires()
    github.runners = []
    await fleet.passes(2.5)
    assert (fleet.now.busy, fleet.now.idle, fleet.now.offline) == (0, 0, 0)
