"""What Buildkite counts as jobs, and what waits for an agent.

buildkite/buildkite-agent-scaler#199: jobs behind a block step wait for a person, for ever. buildkite/docs#2127 and
buildkite/terraform-provider-buildkite#509: a paused queue gives no job to anybody, while its agents idle.
"""

from typing import Any

from bot.core.incident.details.events import Diagnosed
from bot.core.incident.incident import State
from bot.diagnosing.diagnose import read
from tests.builders import POOL
from tests.reports.fleet import Fleet


def metrics(*, scheduled: int, waiting: int, running: int, idle: int, busy: int) -> dict[str, Any]:
    jobs = {"scheduled": scheduled, "running": running, "waiting": waiting, "total": scheduled + running + waiting}
    agents = {"idle": idle, "busy": busy, "total": idle + busy}
    return {
        "organization": {"slug": "acme"},
        "cluster": {"name": "default"},
        "jobs": {**jobs, "queues": {"linux": jobs}},
        "agents": {**agents, "queues": {"linux": agents}},
    }


async def test_jobs_behind_a_block_hold_nothing_open() -> None:
    fleet = Fleet()
    many = metrics(scheduled=9, waiting=40, running=3, idle=0, busy=3)
    buildkite = fleet.system("buildkite", {"/metrics": many}, {"queue": "linux"}, token_env="T")
    await fleet.fires()
    assert fleet.now.queued == 9
    buildkite.says("/metrics", metrics(scheduled=0, waiting=40, running=3, idle=2, busy=3))
    await fleet.resolves(5)
    assert (fleet.now.queued, fleet.state) == (0, State.DRAINED)


async def test_idle_agents_of_a_paused_queue_are_the_cause_and_its_jobs_still_wait() -> None:
    fleet = Fleet()
    paused = metrics(scheduled=12, waiting=0, running=0, idle=6, busy=0)
    fleet.system("buildkite", {"/metrics": paused}, {"queue": "linux"}, token_env="T")
    await fleet.fires()
    await fleet.passes(15)
    details = (await read(fleet.world.context, [POOL], fleet.world.incident)).details
    assert isinstance(details, Diagnosed)
    first = details.groups[0][0].findings[0]
    assert (first.cause, first.sureness) == ("unassigned", "high")
    await fleet.resolves(10)
    assert (fleet.now.queued, fleet.state) == (12, State.EASING)
