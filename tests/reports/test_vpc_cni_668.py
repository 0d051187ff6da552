"""aws/amazon-vpc-cni-k8s#59 and #668: pods have a node, and the subnet has no address for them."""

from tests.machines import KubernetesLists, event, pod, runner
from tests.reports.fleet import Fleet

EMPTY = (
    "Failed create pod sandbox: rpc error: code = Unknown desc = failed to set up sandbox container: NetworkPlugin cni "
    "failed to set up pod: network: add cmd: failed to assign an IP address to container"
)
BEFORE = "0/9 nodes are available: 9 Insufficient cpu."


async def test_a_subnet_without_addresses_is_the_cause() -> None:
    """The pod waited for its node as well, and that event is still listed."""
    fleet = Fleet()
    now, names = fleet.clock.now(), [f"r{n}" for n in range(4)]
    told = (("FailedScheduling", BEFORE), ("FailedCreatePodSandBox", EMPTY))
    lists = KubernetesLists(
        [runner(name, now - 600, "linux") for name in names],
        [pod(name, now - 600, node="n1", waiting="ContainerCreating") for name in names],
        [event("Pod", name, reason, message, now - 60) for name in names for reason, message in told],
    )
    fleet.knows("github", queued=4, oldest_wait_seconds=1500.0, limit=20)
    fleet.add("kubernetes_events", lists.endpoint, {"scale_set": "linux"}, namespace="arc", token_env="K8S")
    await fleet.fires()
    await fleet.passes(5)
    said = await fleet.diagnosis()
    assert "InsufficientFreeAddresses ×4" in said
    assert "a quota is used up" in said
