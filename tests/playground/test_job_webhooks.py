"""The fleet sends each job's story as GitHub does: queued, started, ended; signed, and in an order."""

from collections.abc import Mapping

from bot.core.pool.job import JobState, WorkflowJob, told
from bot.playground.fleet.api.standin import FleetStandIn, Surroundings
from bot.playground.fleet.job_webhooks import WebhookTarget
from bot.playground.fleet.scenarios import STOCKOUT
from bot.sources.credentials import CredentialVerdict
from bot.sources.github_signature import signed
from bot.sources.workflow_job import parse
from tests.playground.fleet_world import NOON

SECRET = "fleet-webhook-secret"


class GitHubEndpoint:
    """What `POST /github` does with what arrives, and whether it answers."""

    def __init__(self) -> None:
        self.jobs: dict[str, WorkflowJob] = {}
        self.up = True

    async def post(self, url: str, headers: Mapping[str, str], body: bytes) -> int:
        if not self.up or not url.endswith("/github"):
            return 503
        raw = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
        assert signed(raw, body, (SECRET,)) == CredentialVerdict(True)
        job = parse(body, NOON)
        assert job is not None
        self.jobs[job.id] = told(self.jobs.get(job.id), job)
        return 200


async def test_the_product_knows_every_job_of_the_affected_pool_and_how_far_it_is() -> None:
    github = GitHubEndpoint()
    around = Surroundings(lambda: NOON, github.post, jobs=WebhookTarget("http://tailback.example", SECRET))
    fleet = FleetStandIn(STOCKOUT, around, before_seconds=3600)
    name = STOCKOUT.affected[0]
    for minute in range(20):
        github.up = minute != 5  # what is lost then follows later
        await fleet.step(1)
    pool = fleet.fleet.pools[name]
    waits = {str(job.id) for job in pool.waiting}
    runs = {str(one.job.id) for one in pool.runners.values() if one.job is not None}
    known = {state: {one.id for one in github.jobs.values() if one.state is state} for state in JobState}
    assert waits
    assert known[JobState.QUEUED] == waits
    assert known[JobState.IN_PROGRESS] == runs
    assert known[JobState.COMPLETED]
    assert all(one.labels == (name,) and one.public and one.url for one in github.jobs.values())
