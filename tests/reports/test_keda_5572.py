"""kedacore/keda#5572: a GitOps sync sets a number of replicas back within seconds of every change."""

from tests.adapters.back_end import parts_with, patient_pool
from tests.adapters.scalers.kubernetes_api import DEPLOYMENT, KubernetesApi
from tests.answering import answering
from tests.reports.fleet import Fleet


async def test_the_thread_says_that_something_set_the_size_back() -> None:
    """Not only that nobody came: who reads it must know where to look."""
    fleet, api = Fleet(), KubernetesApi()
    fleet.knows("prometheus", queued=30, oldest_wait_seconds=2400.0, busy=5, idle=0, limit=40)
    api.put(DEPLOYMENT, {"replicas": 5}, {"replicas": 5})
    async with answering(api.endpoint) as url, patient_pool() as wire:
        table = {"kind": "kubernetes", "namespace": "ci", "name": "runners", "url": url, "token_env": "TOKEN"}
        fleet.scaled_by(table, parts_with(wire, {"TOKEN": api.token}, fleet.clock.now()))
        await fleet.fires()
        await fleet.world.wants(15)
        await fleet.world.work()
        api.change(DEPLOYMENT, {"spec": {"replicas": 5}})
        await fleet.passes(15)
    assert "no effect after 6 min. Only 5 runners online (the target there is 5 now)" in fleet.says
