"""Buildkite as a metrics source: its agent metrics API, and waiting jobs if an API token is set."""

from collections.abc import Sequence
from functools import partial

from bot.adapters.http.address import BaseUrl
from bot.adapters.http.client import Http, bearer
from bot.adapters.http.rows import Row, document, inner, instant, link, longest, number, rows, text, texts, whole
from bot.adapters.jobs.buildkite import BuildkiteFinder, ask_graphql
from bot.adapters.source import USUAL_SECONDS, Given, Listed, Listing, Present, SourceKind, SourceTable, tried
from bot.config import Seconds, Table
from bot.core.kinds.paces import JobGroup, grouped
from bot.core.pool.pool import Gap, Job, Snapshot
from bot.core.words import count
from bot.ports import Failure, Unreachable
from bot.sources.job_kind import kind_of

PAGE = 100
MOST_PAGES = 20
QUERY = """
query Waiting($slug: ID!, $first: Int!, $after: String) {
  organization(slug: $slug) {
    jobs(first: $first, after: $after, type: [COMMAND], state: [SCHEDULED, RESERVED]) {
      pageInfo { hasNextPage endCursor }
      edges { node { ... on JobTypeCommand {
        label url createdAt scheduledAt runnableAt agentQueryRules
        pipeline { slug } cluster { name } clusterQueue { key }
      } } }
    }
  }
}
"""
POLL_HEADER = "buildkite-agent-metrics-poll-duration"
UNLISTED = Gap(
    "oldest_wait_seconds",
    "the agent token does not show single jobs",
    "name an API token with the scope graphql in api_token_env",
)
WaitingJobs = dict[tuple[str, str], list[Job]]
"""(queue, name of its cluster) → jobs; the cluster is empty for unclustered jobs."""


class BuildkiteTable(SourceTable):
    token_env: str
    """Names the variable with an agent token of the cluster, or an unclustered one."""
    api_token_env: str = ""
    """Names the variable with an API access token with the scope graphql, for waits and links."""
    url: BaseUrl = "https://agent.buildkite.com/v3"
    api_url: BaseUrl = "https://graphql.buildkite.com/v1"
    every: Seconds = USUAL_SECONDS


class BuildkitePool(Table):
    queue: str = ""
    """The queue of this pool; its own name when empty."""
    scales_to_zero: bool = False
    """Whether an unlisted queue counts as empty: Buildkite does not list queues without agents and jobs."""


class Buildkite(Present):
    """The port `Metrics`. One request serves all queues, and another set lists the waiting jobs.

    `queued` is Buildkite's `scheduled`: jobs that wait for an agent. `waiting` jobs depend on other steps and are not
    queued. An unlisted queue has neither agents nor jobs, or does not exist: that is unknown, except for a pool with
    `scales_to_zero`.
    """

    def __init__(self, given: Given[BuildkiteTable, BuildkitePool]) -> None:
        table, self._pools = given.table, given.pools
        headers = {"Authorization": f"Token {given.token('token_env', table.token_env)}"}
        self._agents = given.http(table, "Buildkite", table.url, headers=headers)
        self._metrics = Listing(self._ask_metrics, given.now, table.every)
        self._jobs: Listing[WaitingJobs] | None = None
        api: Http | None = None
        if token := given.token("api_token_env", table.api_token_env):
            api = given.http(table, "Buildkite API", table.api_url, headers=bearer(token))
            self._jobs = Listing(partial(self._ask_jobs, api), given.now, table.every)
        self.find = BuildkiteFinder(api, given.name, given.now).find

    async def snapshot(self, pool: str) -> Snapshot:
        """The queue now; Buildkite says how often it may be asked, and `at` is the time it was. Raises Unreachable."""
        keys = self._pools[pool]
        queue = keys.queue or pool
        listed = await self._metrics.get()
        job, agent = (inner(listed.value, part, "queues", queue) for part in ("jobs", "agents"))
        if not job and not agent and not keys.scales_to_zero:
            why = f'no queue "{queue}" with agents or jobs is listed'
            gap = Gap("queued", why, "correct queue, or say scales_to_zero = true")
            return Snapshot(pool, listed.at, missing=(gap,))
        queued = whole(job, "scheduled") if job else 0
        if not queued and (astray := _astray(listed.value)):
            gap = Gap(
                "queued", f"Buildkite counts {count(astray, 'waiting job')} in no queue, which may be of this one"
            )
            return Snapshot(pool, listed.at, missing=(gap,))
        if queued is None:
            return Snapshot(
                pool, listed.at, missing=(Gap("queued", f'the queue "{queue}" has no number of waiting jobs'),)
            )
        jobs = await self._waiting(queue, text(inner(listed.value, "cluster"), "name"), queued) if queued else []
        seen = [] if isinstance(jobs, Gap) else jobs
        return Snapshot(
            pool,
            listed.at,
            queued=queued,
            oldest_wait_seconds=max((one.waited_seconds for one in seen), default=None),
            busy=whole(agent, "busy") if agent else 0,
            idle=whole(agent, "idle") if agent else 0,
            running_jobs=whole(job, "running") if job else 0,
            waiting=longest(seen),
            composition=_groups(seen, queue),
            missing=(jobs,) if isinstance(jobs, Gap) else (),
        )

    async def _waiting(self, queue: str, cluster: str, queued: int) -> list[Job] | Gap:
        """The waiting jobs of a queue, or why they are not known."""
        if self._jobs is None:
            return UNLISTED
        listed = await tried(self._jobs)
        if isinstance(listed, Unreachable):
            return Gap("oldest_wait_seconds", listed.what, listed.remedy)
        found = listed.value.get((queue, cluster), [])
        if 2 * len(found) < queued:
            seen = f"the API token sees {len(found):,} of {count(queued, 'waiting job')}"
            return Gap("oldest_wait_seconds", seen, "give it access to all pipelines")
        return found

    async def _ask_metrics(self, now: float) -> Listed[Row]:
        answer = await self._agents.get("/metrics")
        body = document(self._agents, answer, "/metrics")
        if not all(isinstance(body.get(part), dict) for part in ("jobs", "agents")):  # empty ones list no queue
            raise self._agents.problem("/metrics has no jobs and agents", Failure.SHAPE, remedy="check url")
        return Listed(body, now, number(answer.headers, POLL_HEADER) or 0.0)

    async def _ask_jobs(self, api: Http, now: float) -> Listed[WaitingJobs]:
        slug = text(inner((await self._metrics.get()).value, "organization"), "slug")
        return Listed(await waiting_jobs(api, slug, now), now)


def _groups(jobs: Sequence[Job], queue: str) -> tuple[JobGroup, ...]:
    return grouped(((kind_of("", job.name), queue, job.repository), job.waited_seconds) for job in jobs)


def _astray(listed: Row) -> int:
    """Waiting jobs that the answer counts beside those of its queues."""
    queues = inner(listed, "jobs", "queues")
    in_queues = sum(whole(inner(queues, name), "scheduled") or 0 for name in queues)
    return max(0, (whole(inner(listed, "jobs"), "scheduled") or 0) - in_queues)


async def waiting_jobs(http: Http, organization: str, now: float) -> WaitingJobs:
    """Every job of the organization that waits for an agent, page by page; rows without a time are left out.

    Raises Unreachable if a page fails, or with more than 2,000 jobs: an incomplete list has no oldest job.
    """
    found: WaitingJobs = {}
    after: str | None = None
    for _ in range(MOST_PAGES):
        variables = {"slug": organization, "first": PAGE, "after": after}
        account = inner(await ask_graphql(http, QUERY, variables), "organization")
        if not account:
            what = f"the API token does not see the organization {organization}"
            raise http.problem(what, Failure.CREDENTIALS, remedy="give it access there")
        for edge in rows(inner(account, "jobs").get("edges")):
            node = inner(edge, "node")
            if (since := instant(node, "runnableAt", "scheduledAt", "createdAt")) is None:
                continue
            rules = sorted(rule for rule in texts(node.get("agentQueryRules")) if rule.startswith("queue="))
            queue = text(inner(node, "clusterQueue"), "key") or (rules[0][len("queue=") :] if rules else "default")
            pipeline, name = text(inner(node, "pipeline"), "slug"), text(node, "label") or "unnamed job"
            job = Job(name, max(0.0, now - since), pipeline, link(node, "url"))
            found.setdefault((queue, text(inner(node, "cluster"), "name")), []).append(job)
        pages = inner(account, "jobs", "pageInfo")
        after = text(pages, "endCursor")
        if pages.get("hasNextPage") is not True or not after:
            return found
    raise http.problem(f"more than {PAGE * MOST_PAGES:,} jobs wait, too many to list", Failure.LATER)


def _figures(table: BuildkiteTable, _: BuildkitePool) -> tuple[str, ...]:
    """Single jobs are seen by an API token only."""
    listed = ("oldest_wait_seconds", "waiting", "composition") if table.api_token_env else ()
    return ("queued", "busy", "idle", "running_jobs", *listed)


build = SourceKind(BuildkiteTable, BuildkitePool, _figures, Buildkite)
