"""GoogleCloudPlatform/continuous-deployment-on-kubernetes#111: a cloud's agents are called offline until they connect.

The page of a node says why it is offline only once its launch has failed.
"""

from typing import Any

from tests.reports.fleet import Fleet

FAILED = {"_class": "hudson.slaves.OfflineCause$LaunchFailed", "timestamp": 1}


def node(number: int, cause: object, *, offline: bool = True) -> dict[str, Any]:
    return {
        "_class": "org.csanchez.jenkins.plugins.kubernetes.KubernetesComputer",
        "displayName": f"agent-{number}",
        "offline": offline,
        "offlineCause": cause,
        "numExecutors": 1,
        "assignedLabels": [{"name": "go"}],
        "executors": [{"idle": offline}],
    }


async def test_agents_that_connect_are_on_their_way_and_those_that_failed_are_offline() -> None:
    fleet = Fleet()
    task = {"name": "build", "url": "", "labelExpression": "go"}
    why = "Waiting for next available executor on ‘go’"
    item = {"why": why, "inQueueSince": 1000 * (fleet.clock.now() - 60), "buildable": True, "task": task}
    busy = [node(number, None, offline=False) for number in range(10)]
    jenkins = fleet.system(
        "jenkins",
        {
            "/queue/api/json": {"items": [item] * 6},
            "/computer/api/json": {"computer": [*busy, *(node(number, None) for number in range(10, 16))]},
        },
        {"label": "go"},
        basic_env="LOGIN",
    )
    await fleet.fires()
    assert (fleet.now.busy, fleet.now.booting, fleet.now.offline) == (10, 6, 0)
    await fleet.passes(3)
    assert "agents are offline" not in await fleet.diagnosis()
    jenkins.says("/computer/api/json", {"computer": [*busy, *(node(number, FAILED) for number in range(10, 16))]})
    await fleet.passes(10)
    assert (fleet.now.busy, fleet.now.booting, fleet.now.offline) == (10, 0, 6)
    assert "hosts or agents are offline" in await fleet.diagnosis()
