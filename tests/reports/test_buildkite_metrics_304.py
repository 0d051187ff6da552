"""buildkite/buildkite-agent-metrics#304: a queue that Buildkite lists no more keeps its last figures.

The source asks Buildkite itself, where such a queue is not listed.
"""

from bot.core.incident.incident import State
from tests.reports.fleet import Fleet

ORGANIZATION = {"organization": {"slug": "acme"}, "cluster": {"name": "main"}}
QUEUE = {"jobs": {"queues": {"linux": {"scheduled": 9}}}, "agents": {"queues": {"linux": {"idle": 0, "busy": 3}}}}


async def test_a_queue_that_is_not_listed_is_unknown_unless_it_scales_to_zero() -> None:
    for scales, state, queued in ((False, State.EASING, None), (True, State.DRAINED, 0)):
        fleet = Fleet()
        keys = {"queue": "linux", "scales_to_zero": scales}
        buildkite = fleet.system("buildkite", {"/metrics": {**ORGANIZATION, **QUEUE}}, keys, token_env="T")
        await fleet.fires()
        assert fleet.now.queued == 9
        buildkite.says("/metrics", {**ORGANIZATION, "jobs": {"queues": {}}, "agents": {"queues": {}}})
        await fleet.resolves(10)
        assert (fleet.state, fleet.now.queued) == (state, queued)
