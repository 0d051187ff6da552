"""pangeo-data/pangeo-binder#194: the registry gives no image any more for too many pulls, and pods back off."""

import pytest

from tests.machines import KubernetesLists, event, pod, runner
from tests.reports.fleet import Fleet

PULL = (
    'Failed to pull image "example/runner:1": rpc error: code = Unknown desc = Error response from daemon: '
    "toomanyrequests: You have reached your pull rate limit."
)


@pytest.mark.parametrize("waiting", ["ErrImagePull", "ImagePullBackOff"])
async def test_a_limit_of_pulls_is_no_missing_image(waiting: str) -> None:
    """More runners would pull more; before, people were sent to look for an image that is there."""
    fleet = Fleet()
    now, names = fleet.clock.now(), [f"r{n}" for n in range(4)]
    lists = KubernetesLists(
        [runner(name, now - 600, "linux") for name in names],
        [pod(name, now - 600, node="n1", waiting=waiting) for name in names],
        [event("Pod", name, "Failed", PULL, now - 60) for name in names],
    )
    fleet.knows("github", queued=4, oldest_wait_seconds=1500.0, limit=20)
    fleet.add("kubernetes_events", lists.endpoint, {"scale_set": "linux"}, namespace="arc", token_env="K8S")
    await fleet.fires()
    await fleet.passes(5)
    said = await fleet.diagnosis()
    assert f"TooManyRequests ({waiting}) ×4" in said
    assert "the image cannot be found" not in said
