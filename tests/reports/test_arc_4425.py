"""actions/actions-runner-controller#4425: runners of a scale set have no labels in GitHub's API."""

from tests.reports.fleet import Fleet


async def test_arcs_figures_count_and_nobody_says_that_no_runner_is_online() -> None:
    """The pair that the docs show: GitHub knows the queue, ARC the runners and the limit."""
    fleet = Fleet()
    github = fleet.github()
    for _ in range(20):
        github.runner(busy=True)
    for number in range(1, 8):
        github.job(github.run(number, age=1800), 10 + number, age=1800)
    fleet.prometheus("arc", queued=0, busy=20, idle=0, limit=20, booting=0, failed=0)
    await fleet.fires()
    await fleet.passes(15)
    now = fleet.now
    assert (now.queued, now.busy, now.idle, now.limit) == (7, 20, 0, 20)
    said = await fleet.diagnosis()
    assert "the pool's limit is reached" in said
    assert "no runner is online" not in said + fleet.says
