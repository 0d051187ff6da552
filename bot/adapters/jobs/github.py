"""Jobs of GitHub Actions by the addresses of its pages: a job, a run, a pull request."""

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from bot.adapters.github.api import Absent, Allowance, GitHubApi, together
from bot.adapters.github.pages import Pages
from bot.adapters.github.queue import job
from bot.adapters.github.runs_to_read import doubtful
from bot.adapters.http.rows import inner, rows, text
from bot.adapters.jobs.finder import jobs_or_none
from bot.core.jobs.found import FoundJob, FoundJobs, Unfound, found_job
from bot.core.pool.job import WorkflowJob, of_commit, of_run
from bot.ports import Failure, Unreachable, WebhookJobs
from bot.sources.payload import fields

PAGE = re.compile(
    r"/(?P<repository>[A-Za-z0-9][A-Za-z0-9_-]*/(?!\.\.?/)[A-Za-z0-9._-]+)/"
    r"(?:actions/runs/(?P<run>\d{1,20})(?:/attempts/\d+)?(?:/jobs?/(?P<job>\d{1,20}))?"
    r"|runs/(?P<check>\d{1,20})|pull/(?P<pull>\d{1,10}))(?:/.*)?"
)
"""The path of a job, of a run, of a check, which has the number of its job, or of a pull request."""
MOST_RUNS = 10
"""Runs of one commit that are read, each with a call; more than that no repository that we know starts at once."""
MOST_CALLS = 30
"""For the lists of one question. Origin: as many as a round of the source usually makes (`budget`)."""
NEEDS_PULLS = "give the credentials the permission pull_requests: read"


@dataclass(frozen=True, slots=True)
class GitHubPage:
    """What an address of GitHub names; numbers as text, empty where it names none."""

    repository: str
    run: str
    job: str
    pull: str
    host: str


def page_of(url: str) -> GitHubPage | None:
    """What an address names; None if it is none of a job, a run or a pull request."""
    address = urlsplit(url)
    found = PAGE.fullmatch(address.path) if address.scheme in {"http", "https"} else None
    if found is None:
        return None
    job = found["job"] or found["check"] or ""
    return GitHubPage(found["repository"], found["run"] or "", job, found["pull"] or "", address.hostname or "")


async def stored(jobs: WebhookJobs, page: GitHubPage) -> list[WorkflowJob]:
    """The jobs of a page that webhooks told of; those of another repository are not meant."""
    if page.job:
        one = await jobs.numbered(page.job)
        found = [one] if one else []
    else:
        found = list(await jobs.grouped(of_run(page.run))) if page.run else []
    return [job for job in found if job.repository.lower() == page.repository.lower()]


class GitHubFinder:
    """Asks the REST API of one set of credentials, for the repositories that the source is about."""

    def __init__(self, api: GitHubApi, url: str, name: str, only: Collection[str], jobs: WebhookJobs | None) -> None:
        """`only` are owners and repositories, in lower case; empty: all. `jobs` are those of webhooks."""
        self._host = (urlsplit(url).hostname or "").removeprefix("api.")
        self._api, self._name, self._only, self._jobs = api, name, only, jobs
        self._pages = Pages(api, "jobs", job)

    async def find(self, url: str) -> FoundJobs | None:
        """The jobs of a page; None for one of another system or of no repository of ours. Raises Unreachable."""
        page = page_of(url)
        if page is None or page.host not in {self._host, f"www.{self._host}"}:
            return None
        repository = page.repository.lower()
        if self._only and not {repository, repository.partition("/")[0]} & set(self._only):
            return None
        try:
            if page.pull:
                return await self._pull(page)
            if page.job:
                answer = await self._api.get(f"/repos/{page.repository}/actions/jobs/{page.job}", {})
                one = job(fields(answer.body))
                return jobs_or_none([self._told(one, page.repository)] if one else [])
            return jobs_or_none(await self._run(page.repository, page.run, Allowance(MOST_CALLS)))
        except Absent:
            return FoundJobs(reason=Unfound.NOT_FOUND)

    async def _run(self, repository: str, run: str, spend: Allowance) -> list[FoundJob]:
        path = f"/repos/{repository}/actions/runs/{run}/jobs"
        listing = await self._pages.whole(path, {"filter": "latest"}, spend)
        if listing.gap:
            raise self._api.problem(listing.gap.why, Failure.LATER, remedy=listing.gap.remedy)
        return [self._told(one, repository) for one in listing.items]

    async def _pull(self, page: GitHubPage) -> FoundJobs:
        """The jobs of the newest commit of a pull request: those that webhooks told of, else all runs of the commit."""
        try:
            answer = await self._api.get(f"/repos/{page.repository}/pulls/{page.pull}", {})
        except Unreachable as problem:
            if problem.failure is not Failure.CREDENTIALS:
                raise
            return FoundJobs(reason=Unfound.NEEDS_TOKEN, why=problem.what, remedy=problem.remedy or NEEDS_PULLS)
        commit = text(inner(fields(answer.body), "head"), "sha").lower()
        if not commit:
            return FoundJobs(reason=Unfound.NOT_FOUND)
        known = await self._jobs.grouped(of_commit(commit)) if self._jobs else ()
        mine, now = [job for job in known if job.repository.lower() == page.repository.lower()], self._api.now()
        if mine and not any(doubtful(job, now) for job in mine):
            return FoundJobs(tuple(found_job(job, now) for job in sorted(mine, key=order)))
        query = {"head_sha": commit, "per_page": str(MOST_RUNS)}
        answer = await self._api.get(f"/repos/{page.repository}/actions/runs", query)
        runs = [str(run["id"]) for run in rows(fields(answer.body).get("workflow_runs")) if "id" in run]
        spend = Allowance(MOST_CALLS)
        found = await together(self._run(page.repository, run, spend) for run in runs[:MOST_RUNS])
        return jobs_or_none([job for jobs in found for job in jobs])

    def _told(self, one: WorkflowJob, repository: str) -> FoundJob:
        return found_job(replace(one, repository=repository), self._api.now(), self._name)


def order(job: WorkflowJob) -> tuple[float, str]:
    """The order in which jobs are told: by the beginning of their wait."""
    return job.begun, job.id
