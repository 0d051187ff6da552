"""kubernetes/kubernetes#103643: a container cannot be made, because what its configuration names is not there."""

from tests.machines import KubernetesLists, event, pod, runner
from tests.reports.fleet import Fleet


async def test_a_container_that_cannot_be_made_is_the_cause() -> None:
    fleet = Fleet()
    now, names = fleet.clock.now(), [f"r{n}" for n in range(4)]
    lists = KubernetesLists(
        [runner(name, now - 600, "linux") for name in names],
        [pod(name, now - 600, node="n1", waiting="CreateContainerConfigError") for name in names],
        [event("Pod", name, "Failed", 'Error: secret "cache-login" not found', now - 60) for name in names],
    )
    fleet.knows("github", queued=4, oldest_wait_seconds=1500.0, limit=20)
    fleet.add("kubernetes_events", lists.endpoint, {"scale_set": "linux"}, namespace="arc", token_env="K8S")
    await fleet.fires()
    await fleet.passes(5)
    assert 'secret "cache-login" not found' in (await fleet.diagnosis()).replace("\\", "")
