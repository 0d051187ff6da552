"""buildkite/elastic-ci-stack-for-aws#305: builds that wait for a concurrency group are no queue for machines."""

from bot.core.incident.incident import State
from tests.reports.fleet import Fleet


async def test_jobs_that_depend_on_others_do_not_hold_the_thread_open() -> None:
    fleet = Fleet()
    body = {
        "organization": {"slug": "acme"},
        "jobs": {"queues": {"linux": {"scheduled": 4, "waiting": 12, "running": 1}}},
        "agents": {"queues": {"linux": {"idle": 0, "busy": 1}}},
    }
    buildkite = fleet.system("buildkite", {"/metrics": body}, {"queue": "linux"}, token_env="T")
    await fleet.fires()
    assert fleet.now.queued == 4
    body["jobs"] = {"queues": {"linux": {"scheduled": 0, "waiting": 12, "running": 1}}}
    buildkite.says("/metrics", body)
    await fleet.resolves(5)
    assert (fleet.now.queued, fleet.state) == (0, State.DRAINED)
