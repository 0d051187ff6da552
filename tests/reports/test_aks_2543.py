"""Azure/AKS#2543 and #2665: after a failed scale-up the cluster autoscaler waits, and why it failed stands elsewhere.

Only that it waits is written on the pod: in #2665 the subnet had too few addresses.
"""

from tests.machines import KubernetesLists, event, pod, runner
from tests.reports.fleet import Fleet

SHORT = "0/2 nodes are available: 1 Insufficient memory, 2 Insufficient cpu."
WAITS = "pod didn't trigger scale-up: 1 in backoff after failed scale-up"


async def test_an_autoscaler_in_backoff_is_refused_and_more_pods_do_not_help() -> None:
    fleet = Fleet()
    now, names = fleet.clock.now(), [f"r{n}" for n in range(4)]
    lists = KubernetesLists(
        [runner(name, now - 900, "linux") for name in names],
        [pod(name, now - 900, unschedulable=SHORT) for name in names],
        [event("Pod", name, "NotTriggerScaleUp", WAITS, now - 30) for name in names],
    )
    fleet.knows("github", queued=6, oldest_wait_seconds=1500.0, limit=20)
    fleet.add("kubernetes_events", lists.endpoint, {"scale_set": "linux"}, namespace="arc", token_env="K8S")
    await fleet.fires()
    await fleet.passes(5)
    said = await fleet.diagnosis()
    assert "*Cause:* the cloud refuses new machines" in said
    assert "1 in backoff after failed" in said
    assert "More runners don't help" in said
