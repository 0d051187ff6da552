"""PyGithub/PyGithub#1787: 409 for a file that nobody touched, because another file of the branch was pushed."""

from tests.adapters.back_end import parts_with, patient_pool
from tests.adapters.scalers.git_api import FILE_TABLE, GitApi
from tests.answering import answering
from tests.reports.fleet import Fleet


async def test_a_push_in_the_same_moment_costs_a_second_try_and_no_wish() -> None:
    """It was told as a refusal for good, and the person had to ask again."""
    fleet, api = Fleet(), GitApi(pushes=1)
    fleet.knows("github", queued=30, oldest_wait_seconds=2400.0, busy=10, idle=0, limit=10)
    async with answering(api.endpoint) as url, patient_pool() as wire:
        table = {**FILE_TABLE, "by": "commit", "url": url}
        fleet.scaled_by(table, parts_with(wire, {"TOKEN": api.token}, fleet.clock.now()))
        await fleet.fires()
        await fleet.scaled(15)
    assert (api.number, len(api.commits)) == (15, 1)
