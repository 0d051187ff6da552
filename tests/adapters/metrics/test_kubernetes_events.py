"""Kubernetes: what ARC's runners, their pods and events say of a scale set, and what is not claimed."""

from typing import Any

import pytest

from bot.core.pool.pool import Tally
from tests.adapters.metrics.rig import Rig
from tests.builders import gaps
from tests.machines import POOL, KubernetesLists, diagnosed_with, event, job_pod, pod, runner

AT = 1_700_000_000.0
OLD, NEW = AT - 1200, AT - 400
RIG = Rig(
    "kubernetes_events",
    lambda url: {"url": url, "namespace": "arc-runners", "token_env": "K8S"},
    {"K8S": "cluster-token"},
    AT,
    POOL,
)
look = RIG.look


async def test_runners_are_counted_by_what_they_do() -> None:
    """Online and idle runners are Pending too: `ready` tells them from booting ones; other scale sets do not count."""
    rows = [
        runner("a", OLD, phase="Running", ready=True),
        runner("b", OLD, ready=True),
        runner("c", NEW),
        runner("d", NEW, phase="Failed", reason="TooManyPodFailures", message="Pod has failed to start"),
        runner("e", NEW, phase="Running"),
        runner("f", NEW, "gpu"),
    ]
    found = await look(KubernetesLists(rows, page=2))
    assert (found.busy, found.idle, found.booting, found.failed) == (2, 1, 1, 1)
    assert (found.creates, found.registered, found.at, found.missing) == (3, 1, AT, ())
    assert found.create_failures_by_code == (Tally("TooManyPodFailures", 1.0),)


async def test_what_failed_has_its_node_in_common() -> None:
    """Two runners on one node never come online, one on another node does; a single node would be no mark."""
    runners = [runner("a", NEW), runner("b", NEW), runner("c", OLD, phase="Running", ready=True)]
    pods = [pod(name, NEW, phase="Running", node="full" if name != "c" else "well") for name in "abc"]
    found = await look(KubernetesLists(runners, pods))
    assert (found.failed, found.failures_by_mark) == (2, (Tally("node full", 2.0),))
    assert (await look(KubernetesLists(runners[:2], pods[:2]))).failures_by_mark == ()


CAUSES = (
    ("image", KubernetesLists([runner("a", NEW)], [pod("a", NEW, waiting="ImagePullBackOff")])),
    (
        "quota",
        KubernetesLists(
            [runner("a", NEW, phase="Failed", reason="InvalidPod", message='pods "a" is forbidden: exceeded quota: ci')]
        ),
    ),
    (
        "stockout",
        KubernetesLists(
            [runner("a", NEW)],
            [pod("a", NEW)],
            node_events=[
                event("NodeClaim", "n", "InsufficientCapacityError", "NodeClaim n event: no capacity", AT - 60)
            ],
        ),
    ),
    (
        "cluster_full",
        KubernetesLists(
            [runner("a", NEW)], [pod("a", NEW, unschedulable="0/3 nodes are available: 3 Insufficient cpu.")]
        ),
    ),
    ("refused", KubernetesLists([runner("a", NEW, phase="Failed", reason="TooManyPodFailures", message="Failed")])),
    (
        "unregistered",
        KubernetesLists(
            [runner(f"r{n}", NEW) for n in range(9)], [pod(f"r{n}", NEW, phase="Running") for n in range(9)]
        ),
    ),
)


@pytest.mark.parametrize(("cause", "lists"), CAUSES)
async def test_a_cause_is_found_in_such_a_cluster(cause: str, lists: KubernetesLists) -> None:
    async with RIG.source(lists, node_events=True) as found:
        assert cause in [one.cause for one in (await diagnosed_with(found, AT)).findings]


@pytest.mark.parametrize(
    ("event", "code"),
    [
        (event("Pod", "a", "NotTriggerScaleUp", "pod didn't trigger scale-up: 3 max node group size reached", AT),
         "NodeLimitExceeded"),
        (event("Pod", "a", "FailedScheduling", 'all available instance types exceed limits for nodepool: "x"', AT),
         "NodeLimitExceeded"),
        (event("Pod", "a", "Scheduled", "assigned", AT), "0/3 nodes are available: 3 Insufficient cpu."),
    ],
)  # fmt: skip
async def test_a_pod_that_waits_for_a_node_has_the_most_telling_reason(event: dict[str, Any], code: str) -> None:
    """Karpenter and the cluster autoscaler say more than the scheduler."""
    waits = pod("a", NEW, unschedulable="0/3 nodes are available: 3 Insufficient cpu.")
    found = await look(KubernetesLists([runner("a", NEW)], [waits], [event]))
    assert (found.create_failures, found.create_failures_by_code) == (1, (Tally(code, 1.0),))


async def test_a_pod_may_wait_for_its_node_for_five_minutes() -> None:
    """Every pod is unschedulable until the autoscaler's node is there: that is no failure."""
    early = pod("a", AT - 200, unschedulable="0/3 nodes are available")
    found = await look(KubernetesLists([runner("a", AT - 200)], [early]))
    assert (found.create_failures, found.create_failures_by_code) == (0, ())


async def test_failures_of_nodes_count_only_while_a_runner_waits_and_while_they_are_new() -> None:
    """Karpenter tries again and again; what failed for others, or an hour ago, explains nothing here."""
    old = event("NodeClaim", "n", "InsufficientCapacityError", "insufficient capacity", AT - 3600)
    assert (await look(KubernetesLists([runner("a", NEW)], node_events=[old]), node_events=True)).create_failures == 0
    new = event("NodeClaim", "n", "InsufficientCapacityError", "insufficient capacity", AT - 60)
    idle = KubernetesLists([runner("a", NEW, ready=True)], node_events=[new])
    assert (await look(idle, node_events=True)).create_failures == 0


async def test_a_jobs_own_pod_that_does_not_start_is_seen_beside_its_busy_runner() -> None:
    """In Kubernetes mode the runner has the job, and the job's pod waits for a node."""
    busy = runner("a", NEW, phase="Running", ready=True)
    waits = job_pod("a", NEW, unschedulable="0/3 nodes are available: 3 Insufficient cpu.")
    found = await look(KubernetesLists([busy], [pod("a", NEW, phase="Running"), waits]))
    assert (found.busy, found.create_failures) == (1, 1)
    refused = event("NodeClaim", "n", "InsufficientCapacityError", "NodeClaim n event: no capacity", AT - 60)
    lists = KubernetesLists([busy], [job_pod("a", AT - 60)], node_events=[refused])
    assert (await look(lists, node_events=True)).create_failures_by_code == (Tally("InsufficientCapacityError", 1.0),)
    other = KubernetesLists([busy], [job_pod("b", NEW, unschedulable="0/3 nodes are available")], node_events=[refused])
    assert (await look(other, node_events=True)).create_failures == 0


@pytest.mark.parametrize("kind", ["pods", "events"])
async def test_a_list_that_may_not_be_read_leaves_failures_unknown_and_names_the_right(kind: str) -> None:
    found = await look(KubernetesLists([runner("a", OLD, ready=True)], forbidden=kind))
    assert (found.idle, found.create_failures) == (1, None)
    (why,) = gaps(found)
    assert why.startswith("create_failures: refused the credentials (HTTP 403)")
    assert why.endswith(f"allow list on {kind} in namespace arc-runners to Tailback's service account")
