"""PyGithub/PyGithub#1815: 409 because the file itself changed between the look and the commit."""

from tests.adapters.back_end import parts_with, patient_pool
from tests.adapters.scalers.git_api import FILE_TABLE, TEXT, GitApi
from tests.answering import answering
from tests.reports.fleet import Fleet


async def test_what_somebody_else_wrote_meanwhile_stays() -> None:
    """Another pool's number was raised: both changes are in the file at the end."""
    fleet, api = Fleet(), GitApi(between=[TEXT.replace("arm_max = 10", "arm_max = 30")])
    fleet.knows("github", queued=30, oldest_wait_seconds=2400.0, busy=10, idle=0, limit=10)
    async with answering(api.endpoint) as url, patient_pool() as wire:
        table = {**FILE_TABLE, "by": "commit", "url": url}
        fleet.scaled_by(table, parts_with(wire, {"TOKEN": api.token}, fleet.clock.now()))
        await fleet.fires()
        await fleet.scaled(15)
    assert (api.number, "arm_max = 30" in api.branches["main"]) == (15, True)
