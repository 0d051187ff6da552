"""kubernetes-sigs/karpenter#557: a node class is not ready, and each claim of a node is deleted right away."""

from tests.machines import KubernetesLists, event, pod, runner
from tests.reports.fleet import Fleet

UNREADY = "NodeClaim linux-{} event: instance profile hasn't resolved for role"


async def test_a_node_class_that_is_not_ready_is_the_cause() -> None:
    fleet = Fleet()
    now, names = fleet.clock.now(), [f"r{n}" for n in range(4)]
    lists = KubernetesLists(
        [runner(name, now - 600, "linux") for name in names],
        [pod(name, now - 200) for name in names],
        node_events=[event("NodeClaim", f"linux-{n}", "NodeClassNotReady", UNREADY.format(n), now) for n in range(4)],
    )
    fleet.knows("github", queued=4, oldest_wait_seconds=1500.0, limit=20)
    table = {"namespace": "arc", "token_env": "K8S", "node_events": True}
    fleet.add("kubernetes_events", lists.endpoint, {"scale_set": "linux"}, **table)
    await fleet.fires()
    await fleet.passes(1)
    assert [(one.name, one.number) for one in fleet.now.create_failures_by_code] == [("NodeClassNotReady", 4)]
    assert "NodeClassNotReady" in await fleet.diagnosis()
