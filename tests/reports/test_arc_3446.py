"""actions/actions-runner-controller#3446: `maxRunners` is 0, and the listener takes jobs that nobody can run."""

from tests.reports.fleet import Fleet


async def test_a_maximum_of_0_is_the_cause() -> None:
    fleet = Fleet()
    fleet.prometheus("arc", queued=5, busy=0, idle=0, limit=0, booting=0, failed=0)
    await fleet.fires()
    await fleet.passes(10)
    said = await fleet.diagnosis()
    assert "the pool's limit is reached" in said
    assert "high" in said
    assert "no runner has the label" not in said
