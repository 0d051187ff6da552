"""Jobs of Buildkite by the addresses of its pages: a build, or one of its jobs."""

import re
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

from bot.adapters.http.client import Http
from bot.adapters.http.rows import Row, inner, instant, link, rows, text, texts
from bot.adapters.jobs.finder import jobs_or_none, path_under
from bot.core.jobs.answer import JobStanding
from bot.core.jobs.found import FoundJob, FoundJobs, Unfound
from bot.ports import Failure
from bot.sources.payload import fields

HOME = "https://buildkite.com"
PAGE = re.compile(r"/(?P<build>[a-z0-9-]+/[a-z0-9-]+/builds/\d{1,10})(?:/.*)?")
JOB = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
QUERY = """
query Build($slug: ID!) {
  build(slug: $slug) {
    pipeline { slug }
    jobs(first: 500, type: [COMMAND]) { edges { node { ... on JobTypeCommand {
      uuid label url state createdAt runnableAt startedAt finishedAt exitStatus agentQueryRules
    } } } }
  }
}
"""
WAITING = frozenset({"SCHEDULED", "RESERVED", "ASSIGNED", "ACCEPTED"})
RUNNING = frozenset({"RUNNING", "CANCELING", "TIMING_OUT"})
ENDS = frozenset({"FINISHED", "CANCELED", "TIMED_OUT", "SKIPPED", "BROKEN", "EXPIRED"})
"""Every other state is held: by a step before it, a block step, or a concurrency limit."""


class BuildkiteFinder:
    """Asks GraphQL for the build with an API token; without one it says what is needed."""

    def __init__(self, http: Http | None, name: str, now: Callable[[], float]) -> None:
        self._http, self._name, self._now = http, name, now

    async def find(self, url: str) -> FoundJobs | None:
        """The jobs of a page; None for one of another system. Raises Unreachable."""
        found = PAGE.fullmatch(path_under(url, HOME) or "")
        if found is None:
            return None
        if self._http is None:
            remedy = "name an API token with the scope graphql in api_token_env"
            return FoundJobs(reason=Unfound.NEEDS_TOKEN, why="the agent token does not show single jobs", remedy=remedy)
        variables = {"slug": found["build"].replace("/builds/", "/")}
        build = inner(await ask_graphql(self._http, QUERY, variables), "build")
        pipeline = text(inner(build, "pipeline"), "slug")
        jobs = [self._job(inner(edge, "node"), pipeline) for edge in rows(inner(build, "jobs").get("edges"))]
        one = JOB.search(urlsplit(url).fragment)
        return jobs_or_none([job for job in jobs if one is None or job.id == one[0]])

    def _job(self, row: Row, pipeline: str) -> FoundJob:
        word = text(row, "state")
        state = JobStanding.ENDED if word in ENDS else JobStanding.RUNNING if word in RUNNING else JobStanding.HELD
        waits = word in WAITING
        return FoundJob(
            link(row, "url"),
            text(row, "uuid"),
            text(row, "label") or "unnamed job",
            JobStanding.WAITING if waits else state,
            self._now(),
            repository=pipeline,
            labels=tuple(sorted(texts(row.get("agentQueryRules")))),
            queued_at=instant(row, "runnableAt", *(("createdAt",) if waits else ())),
            started_at=instant(row, "startedAt"),
            ended_at=instant(row, "finishedAt"),
            conclusion=_ended(word, text(row, "exitStatus")) if state is JobStanding.ENDED else "",
            source=self._name,
        )


async def ask_graphql(http: Http, query: str, variables: Mapping[str, object]) -> Row:
    """The `data` of an answer. Raises Unreachable, also for a query that Buildkite refuses."""
    answer = fields(await http.send_json("POST", "", {"query": query, "variables": variables}))
    if errors := rows(answer.get("errors")):
        raise http.problem(f"refused the query: {text(errors[0], 'message') or 'no reason given'}", Failure.SHAPE)
    return inner(answer, "data")


def _ended(word: str, status: str) -> str:
    if word != "FINISHED":
        return word.lower()
    return "passed" if status == "0" else "failed"
