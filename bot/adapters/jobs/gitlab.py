"""Jobs of GitLab by the addresses of its pages: a job, a pipeline, a merge request."""

import re
from collections.abc import Callable, Collection

from bot.adapters.http.client import Http
from bot.adapters.http.rows import Row, document, instant, link, listing, number, part, text, texts, whole
from bot.adapters.jobs.finder import jobs_or_none, path_under
from bot.core.jobs.answer import JobStanding
from bot.core.jobs.found import FoundJob, FoundJobs, Unfound

PAGE = re.compile(
    r"/(?P<project>.+?)/-/(?:jobs/(?P<job>\d{1,20})|pipelines/(?P<pipeline>\d{1,20})"
    r"|merge_requests/(?P<request>\d{1,10}))(?:/.*)?"
)
STATES = {"pending": JobStanding.WAITING, "preparing": JobStanding.WAITING, "running": JobStanding.RUNNING}
HELD = frozenset({"created", "waiting_for_resource", "waiting_for_callback", "manual", "scheduled"})
"""Every other status is an end."""
HUNDRED = {"per_page": "100"}


class GitlabFinder:
    """Asks for a job by one call to its own address, for a merge request by two."""

    def __init__(self, http: Http, url: str, name: str, projects: Collection[str], now: Callable[[], float]) -> None:
        """`projects` are the paths that the source is about; with a numeric id among them, any that the token sees."""
        self._http, self._url, self._name, self._now = http, url, name, now
        numeric = any(project.isdigit() for project in projects)
        self._projects = frozenset() if numeric else frozenset(project.lower() for project in projects)

    async def find(self, url: str) -> FoundJobs | None:
        """The jobs of a page; None for one of another system or project. Raises Unreachable."""
        found = PAGE.fullmatch(path_under(url, self._url) or "")
        if found is None or (self._projects and found["project"].lower() not in self._projects):
            return None
        project = f"/api/v4/projects/{part(found['project'])}"
        if found["job"]:
            answer = await self._http.get(f"{project}/jobs/{found['job']}")
            gone = answer.status == 404
            read = [] if gone else [document(self._http, answer, "job")]
            return jobs_or_none([self._job(row, found["project"]) for row in read])
        pipeline = found["pipeline"] or await self._pipeline(f"{project}/merge_requests/{found['request']}/pipelines")
        answer = await self._http.get(f"{project}/pipelines/{pipeline}/jobs", HUNDRED)
        if not pipeline or answer.status == 404:
            return FoundJobs(reason=Unfound.NOT_FOUND)
        return jobs_or_none([self._job(row, found["project"]) for row in listing(self._http, answer, "pipeline")])

    async def _pipeline(self, path: str) -> str:
        """The newest pipeline of a merge request; empty if it has none."""
        answer = await self._http.get(path, {"per_page": "1"})
        found = [] if answer.status == 404 else listing(self._http, answer, "merge request")
        return str(whole(found[0], "id") or "") if found else ""

    def _job(self, row: Row, project: str) -> FoundJob:
        status, now = text(row, "status"), self._now()
        state = JobStanding.HELD if status in HELD else STATES.get(status, JobStanding.ENDED)
        started, waited = instant(row, "started_at"), number(row, "queued_duration")
        return FoundJob(
            link(row, "web_url"),
            str(whole(row, "id") or ""),
            text(row, "name"),
            state,
            now,
            repository=project,
            workflow=text(row, "stage"),
            labels=tuple(sorted(texts(row.get("tag_list")))),
            queued_at=None if waited is None else (started or now) - waited,
            started_at=started,
            ended_at=instant(row, "finished_at"),
            conclusion=status if state is JobStanding.ENDED else "",
            source=self._name,
        )
