"""buildkite/agent-stack-k8s#302 and hashicorp/nomad-autoscaler#530: who starts the agents has stopped doing so.

There a counter of agents under way only grew; here a pool at 0 gave no figure to scale on.
"""

from bot.core.incident.incident import State
from tests.reports.fleet import Fleet


async def test_nobody_comes_for_the_waiting_jobs_and_that_is_the_cause() -> None:
    fleet = Fleet()
    body = {
        "organization": {"slug": "acme"},
        "jobs": {"queues": {"k8s": {"scheduled": 9, "running": 0}}},
        "agents": {"queues": {}},
    }
    fleet.system("buildkite", {"/metrics": body}, {"queue": "k8s"}, token_env="T")
    await fleet.fires()
    await fleet.passes(20)
    said = await fleet.diagnosis()
    assert "no runner is online or booting while 9 jobs wait" in said
    assert "Check that the autoscaler runs" in said
    await fleet.resolves(10)
    assert (fleet.state, fleet.now.busy, fleet.now.idle) == (State.EASING, 0, 0)
