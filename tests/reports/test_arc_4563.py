"""actions-runner-controller#4563: with idle runners kept, a changed number deletes the listener for good."""

from tests.adapters.back_end import parts_with, patient_pool
from tests.adapters.scalers.kubernetes_api import SCALE_SET, KubernetesApi
from tests.answering import answering
from tests.reports.fleet import Fleet


async def test_a_number_that_was_taken_and_brings_nobody_is_no_success() -> None:
    """The API takes `minRunners`, the old runners stay idle, the queue grows on."""
    fleet, api = Fleet(), KubernetesApi()
    fleet.knows("prometheus", queued=30, oldest_wait_seconds=2400.0, busy=0, idle=2, limit=20)
    api.put(SCALE_SET, {"minRunners": 2, "maxRunners": 20}, {"currentRunners": 2, "runningEphemeralRunners": 2})
    async with answering(api.endpoint) as url, patient_pool() as wire:
        table = {"kind": "arc", "namespace": "arc-runners", "name": "linux-2xlarge", "token_env": "TOKEN"}
        parts = parts_with(wire, {"TOKEN": api.token}, fleet.clock.now())
        fleet.scaled_by({**table, "lever": "min", "url": url}, parts)
        await fleet.fires()
        said = await fleet.scaled(10)
    assert api.objects[SCALE_SET]["spec"]["minRunners"] == 10
    assert "no effect after 6 min. Only 2 runners online" in said
    assert "extra runners came" not in said
