"""actions-runner-controller#3749: runners that failed count as there, so a higher number brings fewer than it says."""

from tests.adapters.back_end import parts_with, patient_pool
from tests.adapters.scalers.kubernetes_api import SCALE_SET, KubernetesApi
from tests.answering import answering
from tests.reports.fleet import Fleet


async def test_failed_runners_that_fill_the_number_are_named() -> None:
    fleet, api = Fleet(), KubernetesApi()
    fleet.knows("prometheus", queued=30, oldest_wait_seconds=2400.0, busy=3, idle=0, limit=8)
    status = {"currentRunners": 8, "runningEphemeralRunners": 3, "failedEphemeralRunners": 5}
    api.put(SCALE_SET, {"minRunners": 0, "maxRunners": 8}, status)
    async with answering(api.endpoint) as url, patient_pool() as wire:
        table = {"kind": "arc", "namespace": "arc-runners", "name": "linux-2xlarge", "token_env": "TOKEN", "url": url}
        fleet.scaled_by(table, parts_with(wire, {"TOKEN": api.token}, fleet.clock.now()))
        await fleet.fires()
        said = await fleet.scaled(15)
    assert "5 failed runners, counted until deleted" in said
