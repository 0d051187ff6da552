"""actions/actions-runner-controller#4654: runner pods wait for an image that can never be pulled."""

from tests.machines import KubernetesLists, pod, runner
from tests.reports.fleet import Fleet


async def test_an_image_that_cannot_be_pulled_is_the_cause() -> None:
    fleet = Fleet()
    now = fleet.clock.now()
    lists = KubernetesLists(
        [runner(f"r{n}", now - 600, "linux") for n in range(4)],
        [pod(f"r{n}", now - 600, waiting="ImagePullBackOff") for n in range(4)],
    )
    fleet.knows("github", queued=4, oldest_wait_seconds=1500.0, limit=20)
    fleet.add("kubernetes_events", lists.endpoint, {"scale_set": "linux"}, namespace="arc", token_env="K8S")
    await fleet.fires()
    await fleet.passes(5)
    assert "the image cannot be found" in await fleet.diagnosis()
