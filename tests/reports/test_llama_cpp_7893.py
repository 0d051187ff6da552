"""ggml-org/llama.cpp#7893: registrations that nobody deletes fill a group of runners, and GitHub takes no more."""

from tests.machines import KubernetesLists, runner
from tests.reports.fleet import Fleet

FULL = "Invalid Argument - Runner group 1 has reached max limit of 10000 runners."


async def test_the_limit_of_a_runner_group_is_the_cause() -> None:
    fleet = Fleet()
    now = fleet.clock.now()
    rows = [runner(f"r{n}", now - 600, "linux", phase="Failed", reason="Failed", message=FULL) for n in range(4)]
    fleet.knows("github", queued=4, oldest_wait_seconds=1500.0, limit=20)
    lists = KubernetesLists(rows)
    fleet.add("kubernetes_events", lists.endpoint, {"scale_set": "linux"}, namespace="arc", token_env="K8S")
    await fleet.fires()
    await fleet.passes(5)
    said = await fleet.diagnosis()
    assert "a quota is used up" in said
