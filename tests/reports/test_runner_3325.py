"""actions/runner#3325: the job's own pod is on another node than its runner, and the volume cannot follow."""

from tests.machines import KubernetesLists, event, job_pod, pod, runner
from tests.reports.fleet import Fleet

HELD = "Multi-Attach error for volume: Volume is already used by pod(s) r0"


async def test_a_volume_that_another_node_holds_is_the_cause() -> None:
    """In Kubernetes mode each runner is busy, and none of its jobs begins."""
    fleet = Fleet()
    now, names = fleet.clock.now(), [f"r{n}" for n in range(4)]
    lists = KubernetesLists(
        [runner(name, now - 900, "linux", phase="Running", ready=True) for name in names],
        [
            *(pod(name, now - 900, node="n1", phase="Running") for name in names),
            *(job_pod(name, now - 800, node="n2", waiting="ContainerCreating") for name in names),
        ],
        [event("Pod", f"{name}-workflow", "FailedAttachVolume", HELD, now - 60) for name in names],
    )
    fleet.knows("github", queued=12, oldest_wait_seconds=1500.0, limit=20)
    fleet.add("kubernetes_events", lists.endpoint, {"scale_set": "linux"}, namespace="arc", token_env="K8S")
    await fleet.fires()
    await fleet.passes(5)
    assert fleet.now.create_failures == 4
    assert "Multi-Attach error" in await fleet.diagnosis()
