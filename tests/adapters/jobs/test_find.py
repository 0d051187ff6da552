"""`Jobs.find`: which address names which jobs at each system, by how many calls, and why there may be none."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

import pytest

from bot.adapters.jobs.find import FindJobs
from bot.adapters.jobs.finder import JobFinder
from bot.adapters.registry import METRICS
from bot.core.jobs.answer import JobStanding
from bot.core.jobs.found import FoundJob, Unfound
from bot.core.pool.job import JobState, WorkflowJob
from tests.adapters.back_end import parts_with, patient_pool
from tests.ci_systems import AT, Answer, CiSystem, Reply, SentRequest
from tests.fakes import FakeClock
from tests.fakes_jobs import FakeJobs
from tests.machines import stamp

COMMIT = "a" * 40
WAITING, HELD, RUNNING, ENDED, _ = JobStanding
TABLES: Mapping[str, dict[str, Any]] = {
    "github": {"token_env": "KEY", "repositories": ["o/r"]},
    "gitlab": {"token_env": "KEY", "projects": ["team/app"]},
    "jenkins": {},
    "buildkite": {"token_env": "KEY"},
    "prometheus": {},
}


@dataclass
class Desk:
    """The port in front of one stand-in, and the webhooks that came."""

    port: FindJobs
    system: CiSystem
    url: str
    jobs: FakeJobs
    clock: FakeClock

    async def at(self, address: str) -> tuple[FoundJob, ...]:
        return (await self.port.find(address)).jobs

    async def why(self, address: str) -> Unfound | None:
        return (await self.port.find(address)).reason


@asynccontextmanager
async def desk(kind: str, paths: Mapping[str, object], **more: Any) -> AsyncIterator[Desk]:
    """The port with one source of a kind, whose stand-in answers these paths."""
    answers: dict[str, Answer] = {path: body if callable(body) else Reply(body) for path, body in paths.items()}
    system, clock = CiSystem(answers), FakeClock(AT)
    jobs = FakeJobs(clock)
    async with system.url() as url, patient_pool() as wire:
        own = {"api_url": f"{url}/graphql"} if "api_token_env" in more else {}
        raw = {"kind": kind, "url": url, **TABLES[kind], **own, **more}
        parts = replace(parts_with(wire, {"KEY": "token-1"}, AT), now=clock.now, jobs=jobs)
        keys = {"preset": "ci"} if kind == "prometheus" else {}
        source = METRICS[kind]("x", "[metrics.x]", raw, {"linux": keys}, parts)
        finder = source if isinstance(source, JobFinder) else None
        yield Desk(FindJobs(jobs, {"x": finder}, clock.now), system, url, jobs, clock)


def row(number: int, status: str, **more: Any) -> dict[str, Any]:
    """A job as GitHub's REST API writes it."""
    url = f"https://github.com/o/r/actions/runs/7/job/{number}"
    made = {"id": number, "run_id": 7, "name": "test", "workflow_name": "pull", "labels": ["linux"], "html_url": url}
    return {**made, "status": status, "created_at": stamp(AT - 600), **more}


def webhook_job(number: int, state: JobState, **more: Any) -> WorkflowJob:
    """A job as webhooks told of it."""
    job = WorkflowJob(str(number), "7", "test", "pull", "o/r", ("linux",), state, AT - 600, seen_at=AT)
    return replace(job, url=f"https://github.com/o/r/actions/runs/7/job/{number}", commit=COMMIT, **more)


async def test_a_job_that_webhooks_told_of_needs_no_call() -> None:
    """By its address, by that of its check, and by its bare number."""
    async with desk("github", {}) as found:
        found.jobs.tell(webhook_job(9, JobState.QUEUED))
        pages = ("https://github.com/o/r/actions/runs/7/job/9?pr=3#step:2:1", "https://github.com/O/R/runs/9", "9")
        for address in pages:
            (one,) = await found.at(address)
            assert (one.state, one.queued_at, one.source, one.labels) == (WAITING, AT - 600, "", ("linux",))
        assert await found.why("10") is Unfound.NOT_FOUND
        assert not found.system.requests


async def test_a_number_in_another_repository_names_no_job() -> None:
    async with desk("github", {}) as found:
        found.jobs.tell(webhook_job(9, JobState.QUEUED))
        assert await found.why("https://github.com/o/other/actions/runs/7/job/9") is Unfound.NO_SOURCE


async def test_a_run_has_all_of_its_jobs_each_in_its_state() -> None:
    states = (JobState.WAITING, JobState.QUEUED, JobState.IN_PROGRESS, JobState.COMPLETED)
    async with desk("github", {}) as found:
        found.jobs.tell(*(webhook_job(number, state) for number, state in enumerate(states)))
        jobs = await found.at("https://github.com/o/r/actions/runs/7/attempts/2")
        assert [job.state for job in jobs] == [HELD, WAITING, RUNNING, ENDED]


async def test_github_is_asked_once_for_a_job_that_webhooks_did_not_tell() -> None:
    """Two hundred people ask at once in an outage."""
    ended = {"started_at": stamp(AT - 500), "completed_at": stamp(AT - 60), "conclusion": "failure", "runner_name": "i"}
    async with desk("github", {"/repos/o/r/actions/jobs/9": row(9, "completed", **ended)}) as found:
        address = f"{found.url}/o/r/actions/runs/7/job/9"
        answers = await asyncio.gather(*(found.at(address) for _ in range(200)))
        (one,) = answers[-1]
        assert (one.state, one.conclusion, one.source) == (ENDED, "failure", "x")
        assert (one.started_at, one.ended_at) == (AT - 500, AT - 60)
        assert len(found.system.requests) == 1
        found.clock.advance(21)
        await found.at(address)
        assert len(found.system.requests) == 2


async def test_a_pull_request_leads_to_the_stored_jobs_of_its_newest_commit() -> None:
    async with desk("github", {"/repos/o/r/pulls/3": {"head": {"sha": COMMIT.upper()}}}) as found:
        found.jobs.tell(webhook_job(9, JobState.QUEUED), webhook_job(8, JobState.IN_PROGRESS))
        jobs = await found.at(f"{found.url}/o/r/pull/3/checks")
        assert {job.id for job in jobs} == {"8", "9"}
        assert [one.path for one in found.system.requests] == ["/repos/o/r/pulls/3"]


async def test_a_pull_request_without_stored_jobs_is_read_run_by_run() -> None:
    paths = {
        "/repos/o/r/pulls/3": {"head": {"sha": COMMIT}},
        "/repos/o/r/actions/runs": {"workflow_runs": [{"id": 7}, {"id": 8}]},
        "/repos/o/r/actions/runs/7/jobs": {"jobs": [row(1, "queued"), row(2, "waiting")]},
        "/repos/o/r/actions/runs/8/jobs": {"jobs": [row(3, "in_progress")]},
    }
    async with desk("github", paths) as found:
        jobs = await found.at(f"{found.url}/o/r/pull/3")
        assert {job.id: job.state for job in jobs} == {"1": WAITING, "2": HELD, "3": RUNNING}


async def test_credentials_that_may_not_read_pull_requests_are_told_what_they_need() -> None:
    def refuses(_: SentRequest) -> Reply:
        return Reply({"message": "no"}, 403, {"x-accepted-github-permissions": "pull_requests=read"})

    async with desk("github", {"/repos/o/r/pulls/3": refuses}) as found:
        answer = await found.port.find(f"{found.url}/o/r/pull/3")
        assert answer.reason is Unfound.NEEDS_TOKEN
        assert "pull_requests=read" in answer.remedy
        only_webhooks = FindJobs(found.jobs, {}, found.clock.now)
        answer = await only_webhooks.find("https://github.com/o/r/pull/3")
        assert answer.reason is Unfound.NEEDS_TOKEN


GITLAB = {
    "id": 104,
    "name": "e2e",
    "stage": "verify",
    "status": "pending",
    "queued_duration": 300.0,
    "tag_list": ["linux"],
    "web_url": "https://gitlab.example.com/team/app/-/jobs/104",
}


@pytest.mark.parametrize(
    ("page", "calls"), [("jobs/104", 1), ("pipelines/5", 1), ("pipelines/5/builds", 1), ("merge_requests/2/diffs", 2)]
)
async def test_a_job_of_gitlab_is_found_by_each_of_its_pages(page: str, calls: int) -> None:
    paths = {
        "/api/v4/projects/team%2Fapp/jobs/104": GITLAB,
        "/api/v4/projects/team%2Fapp/pipelines/5/jobs": [GITLAB],
        "/api/v4/projects/team%2Fapp/merge_requests/2/pipelines": [{"id": 5}],
    }
    async with desk("gitlab", paths) as found:
        (one,) = await found.at(f"{found.url}/team/app/-/{page}")
        assert (one.name, one.workflow, one.state, one.queued_at) == ("e2e", "verify", WAITING, AT - 300)
        assert len(found.system.requests) == calls
        assert await found.why(f"{found.url}/team/secret/-/jobs/104") is Unfound.NO_SOURCE
        assert await found.why(f"{found.url}/team/app/-/jobs/105") is Unfound.NOT_FOUND


@pytest.mark.parametrize(
    ("status", "state"), [("manual", HELD), ("running", RUNNING), ("canceled", ENDED), ("waiting_for_resource", HELD)]
)
async def test_gitlabs_words_have_their_states(status: str, state: JobStanding) -> None:
    async with desk("gitlab", {"/api/v4/projects/team%2Fapp/jobs/104": {**GITLAB, "status": status}}) as found:
        (one,) = await found.at(f"{found.url}/team/app/-/jobs/104")
        assert one.state is state


BUILD_URL = "https://buildkite.com/acme/web/builds/42"
UUID = "0194c1d2-0000-4000-8000-00000000000{}"


async def test_a_build_of_buildkite_has_its_jobs_and_its_fragment_names_one() -> None:
    def node(number: int, state: str, **more: Any) -> dict[str, Any]:
        made = {"uuid": UUID.format(number), "label": "test", "url": f"{BUILD_URL}#{number}", "state": state}
        return {"node": {**made, "createdAt": stamp(AT - 90), "agentQueryRules": ["queue=linux"], **more}}

    edges = [node(1, "SCHEDULED"), node(2, "LIMITED"), node(3, "FINISHED", exitStatus="1"), node(4, "RUNNING")]
    build = {"pipeline": {"slug": "web"}, "jobs": {"edges": edges}}
    async with desk("buildkite", {"/graphql": {"data": {"build": build}}}, api_token_env="KEY") as found:
        jobs = await found.at(BUILD_URL)
        assert [job.state for job in jobs] == [WAITING, HELD, ENDED, RUNNING]
        assert [job.conclusion for job in jobs] == ["", "", "failed", ""]
        assert jobs[0].queued_at == AT - 90
        (one,) = await found.at(f"{BUILD_URL}#{UUID.format(3)}")
        assert one.id == UUID.format(3)
        assert {"slug": "acme/web/42"} in [request.body["variables"] for request in found.system.requests]


async def test_an_agent_token_of_buildkite_says_which_token_shows_jobs() -> None:
    async with desk("buildkite", {}) as found:
        answer = await found.port.find(BUILD_URL)
        assert answer.reason is Unfound.NEEDS_TOKEN
        assert "api_token_env" in answer.remedy


async def test_jenkins_tells_of_a_build_of_what_waits_and_of_an_item_of_its_queue() -> None:
    build = {"number": 12, "url": "https://j/job/a/12/", "building": True, "timestamp": 1000 * (AT - 60), "duration": 0}
    item = {"id": 5, "inQueueSince": 1000 * (AT - 30), "buildable": True, "task": {"name": "a", "labelExpression": "x"}}
    paths = {
        "/job/team/job/a/12/api/json": {**build, "fullDisplayName": "team » a #12"},
        "/job/team/job/a/api/json": {"lastBuild": build, "queueItem": item},
        "/queue/item/5/api/json": {**item, "buildable": False},
    }
    async with desk("jenkins", paths) as found:
        (one,) = await found.at(f"{found.url}/job/team/job/a/12/console")
        assert (one.name, one.state, one.started_at, one.ended_at) == ("team » a #12", RUNNING, AT - 60, None)
        waiting, running = await found.at(f"{found.url}/job/team/job/a/")
        assert (waiting.state, waiting.queued_at, waiting.labels, running.state) == (WAITING, AT - 30, ("x",), RUNNING)
        (held,) = await found.at(f"{found.url}/queue/item/5/")
        assert held.state is HELD
        assert await found.why(f"{found.url}/job/../../secret/1") is Unfound.NO_SOURCE


@pytest.mark.parametrize("address", ["", "hello", "ftp://x/y", "http://[broken", "https://x/" + 3000 * "a", "9" * 30])
async def test_what_is_no_address_asks_nobody(address: str) -> None:
    async with desk("github", {}) as found:
        assert await found.why(address) is Unfound.NO_ADDRESS
        assert not found.system.requests


async def test_a_source_that_knows_the_longest_jobs_only_says_so() -> None:
    async with desk("prometheus", {}) as found:
        assert await found.why("https://ci.example.com/jobs/1") is Unfound.LONGEST_ONLY


async def test_a_system_that_fails_is_a_reason_and_no_error() -> None:
    async with desk("gitlab", {"/api/v4/projects/team%2Fapp/jobs/104": lambda _: Reply({}, 503)}) as found:
        answer = await found.port.find(f"{found.url}/team/app/-/jobs/104")
        assert answer.reason is Unfound.UNREACHABLE
        assert "GitLab" in answer.why
