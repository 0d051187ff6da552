"""tsz-org/tsz#9918: 250 machines ask GitHub for a registration at once, and its API limit refuses them.

The queue had grown to 309 jobs, and the autoscaler had gone to its maximum.
"""

from tests.reports.fleet import Fleet


async def test_machines_without_runners_fill_the_limit_and_more_do_not_help() -> None:
    fleet = Fleet()
    fleet.knows("github", queued=309, oldest_wait_seconds=2400.0, busy=5, idle=0, offline=0, api_remaining=0)
    fleet.knows("cloud", machines=250, limit=250, booting=0)
    await fleet.fires()
    await fleet.passes(15)
    said = await fleet.diagnosis()
    assert "245 of 250 runners of the machines in service have not registered" in said
    assert "More runners don't help" in said
