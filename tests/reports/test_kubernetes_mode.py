"""actions/runner-container-hooks: in Kubernetes mode the job's own pod waits for a node, and its runner is busy.

The hooks name that pod `RUNNER-workflow` and label it `runner-pod`.
"""

from tests.machines import KubernetesLists, event, job_pod, pod, runner
from tests.reports.fleet import Fleet


async def test_a_node_claim_that_is_refused_is_the_cause_although_all_runners_are_busy() -> None:
    fleet = Fleet()
    now = fleet.clock.now()
    lists = KubernetesLists(
        [runner(f"r{n}", now - 1200, "linux", phase="Running", ready=True) for n in range(3)],
        [pod(f"r{n}", now - 1200, phase="Running") for n in range(3)] + [job_pod(f"r{n}", now - 900) for n in range(3)],
    )

    def goes_on() -> None:
        at, claim = fleet.clock.now(), "NodeClaim default-x event: no capacity"
        lists.node_events = [event("NodeClaim", "default-x", "InsufficientCapacityError", claim, at)]

    goes_on()
    fleet.knows("github", queued=6, oldest_wait_seconds=1500.0, limit=20)
    keys = {"scale_set": "linux"}
    fleet.add("kubernetes_events", lists.endpoint, keys, namespace="arc", token_env="K8S", node_events=True)
    await fleet.fires()
    await fleet.passes(5, goes_on)
    assert fleet.now.create_failures == 1
    assert "the cloud is out of this machine type" in await fleet.diagnosis()
