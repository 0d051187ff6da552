"""actions/actions-runner-controller#4168: a full node rejects runner pods, and their runners stay pending for good."""

from tests.machines import KubernetesLists, pod, runner
from tests.reports.fleet import Fleet

FULL = "Pod was rejected: Node didn't have enough resource: pods, requested: 1, used: 16, capacity: 16"


async def test_a_node_that_rejects_pods_is_the_cause() -> None:
    fleet = Fleet()
    now = fleet.clock.now()
    lists = KubernetesLists(
        [runner(f"r{n}", now - 600, "linux") for n in range(4)],
        [pod(f"r{n}", now - 600, node="n1", phase="Failed", reason="OutOfpods", message=FULL) for n in range(4)],
    )
    fleet.knows("github", queued=4, oldest_wait_seconds=1500.0, limit=20)
    fleet.add("kubernetes_events", lists.endpoint, {"scale_set": "linux"}, namespace="arc", token_env="K8S")
    await fleet.fires()
    await fleet.passes(5)
    assert fleet.now.create_failures == 4
    said = await fleet.diagnosis()
    assert "OutOfpods ×4" in said
    assert "no room" in said
