"""Reads Buildkite's waiting jobs from its GraphQL API: their waits and links."""

from collections.abc import Callable
from dataclasses import dataclass

from bot.adapters.http.client import Http
from bot.adapters.metrics.rows import Row, inner, instant, link, rows, text, texts
from bot.core.pool.pool import Job
from bot.ports import Failure

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


@dataclass(frozen=True, slots=True)
class Waiting:
    queue: str
    cluster: str
    """Name of the cluster; empty for an unclustered job."""
    job: Job


async def waiting_jobs(http: Http, organization: str, now: Callable[[], float]) -> tuple[Waiting, ...]:
    """Every job of the organization that waits for an agent, page by page.

    Raises Unreachable if a page fails, or with more than 2,000 jobs: an incomplete list has no oldest job.
    """
    found: list[Waiting] = []
    after: str | None = None
    for _ in range(MOST_PAGES):
        jobs = await _page(http, organization, after)
        edges = (inner(edge, "node") for edge in rows(jobs.get("edges")))
        found += [one for node in edges if (one := _waiting(node, now())) is not None]
        pages = inner(jobs, "pageInfo")
        after = text(pages, "endCursor")
        if pages.get("hasNextPage") is not True or not after:
            return tuple(found)
    raise http.problem(f"more than {PAGE * MOST_PAGES:,} jobs wait, too many to list", Failure.LATER)


async def _page(http: Http, organization: str, after: str | None) -> Row:
    variables = {"slug": organization, "first": PAGE, "after": after or None}
    body = await http.send_json("POST", "", {"query": QUERY, "variables": variables})
    answer = body if isinstance(body, dict) else {}
    if errors := rows(answer.get("errors")):
        raise http.problem(f"refused the query: {text(errors[0], 'message') or 'no reason given'}", Failure.SHAPE)
    asked = inner(inner(answer, "data"), "organization")
    if not asked:
        raise http.problem(
            f"the API token does not see the organization {organization}",
            Failure.CREDENTIALS,
            remedy="give it access there",
        )
    return inner(asked, "jobs")


def _waiting(node: Row, now: float) -> Waiting | None:
    """None for a row without a time."""
    times = (instant(node, key) for key in ("runnableAt", "scheduledAt", "createdAt"))
    since = next((at for at in times if at is not None), None)
    if since is None:
        return None
    rules = texts(node.get("agentQueryRules"))
    ruled = next((rule.partition("=")[2] for rule in sorted(rules) if rule.startswith("queue=")), "default")
    pipeline = text(inner(node, "pipeline"), "slug")
    job = Job(text(node, "label") or "unnamed job", max(0.0, now - since), pipeline, link(node, "url"))
    return Waiting(text(inner(node, "clusterQueue"), "key") or ruled, text(inner(node, "cluster"), "name"), job)
