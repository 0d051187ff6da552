"""kedacore/keda#6061: KEDA and its HPA set replicas back whatever a person writes; their own minimum is what holds."""

from tests.adapters.back_end import parts_with, patient_pool
from tests.adapters.scalers.kubernetes_api import HPA, KubernetesApi
from tests.answering import answering
from tests.builders import POOL
from tests.reports.fleet import Fleet


async def test_the_minimum_of_the_autoscaler_is_raised_and_stays() -> None:
    """The autoscaler carries out its new minimum and leaves the field alone."""
    fleet, api = Fleet(), KubernetesApi()
    source = fleet.knows("prometheus", queued=30, oldest_wait_seconds=2400.0, busy=5, idle=0, limit=40)
    api.put(HPA, {"minReplicas": 5, "maxReplicas": 40}, {"currentReplicas": 5})
    async with answering(api.endpoint) as url, patient_pool() as wire:
        place = {"resource": "horizontalpodautoscalers", "group": "autoscaling", "version": "v2", "namespace": "ci"}
        fields = {
            "field": "spec.minReplicas",
            "current_field": "status.currentReplicas",
            "max_field": "spec.maxReplicas",
        }
        table = {"kind": "kubernetes", "name": "runners", "url": url, "token_env": "TOKEN", **place, **fields}
        fleet.scaled_by(table, parts_with(wire, {"TOKEN": api.token}, fleet.clock.now()))
        await fleet.fires()
        await fleet.world.wants(15)
        await fleet.world.work()
        api.change(HPA, {"status": {"currentReplicas": 15}})
        source.show(POOL, {"queued": 12, "oldest_wait_seconds": 1200.0, "busy": 15, "idle": 0, "limit": 40})
        await fleet.passes(6)
    assert api.objects[HPA]["spec"]["minReplicas"] == 15
    assert "extra runners came" in fleet.says
