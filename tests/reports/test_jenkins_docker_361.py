"""jenkinsci/docker-plugin#361: a cloud starts no agent, and the build is "waiting for next available executor"."""

from bot.core.incident.incident import State
from tests.reports.fleet import Fleet

NODES = {
    "computer": [{"_class": "hudson.model.Hudson$MasterComputer", "displayName": "Built-In Node", "offline": False}]
}
CLOUD = {"nodes": [], "clouds": [{"name": "docker"}]}


def waits(at: float, why: str) -> dict[str, object]:
    return {"why": why, "inQueueSince": 1000 * at, "buildable": True, "task": {"name": "app", "url": ""}}


async def test_items_without_a_label_are_no_empty_queue() -> None:
    fleet = Fleet()
    named = waits(fleet.clock.now() - 1800, "There are no nodes with the label ‘docker’")
    jenkins = fleet.system(
        "jenkins",
        {"/queue/api/json": {"items": [named]}, "/computer/api/json": NODES, "/label/docker/api/json": CLOUD},
        {"label": "docker"},
        basic_env="LOGIN",
    )
    await fleet.fires()
    assert fleet.now.queued == 1
    unnamed = waits(fleet.clock.now() - 1800, "Waiting for next available executor")
    jenkins.says("/queue/api/json", {"items": [unnamed]})
    await fleet.resolves(10)
    held = fleet.state
    assert "no agent is online, and Jenkins does not say which labels" in fleet.says
    jenkins.says("/queue/api/json", {"items": []})
    await fleet.passes(5)
    assert (held, fleet.state) == (State.EASING, State.DRAINED)
