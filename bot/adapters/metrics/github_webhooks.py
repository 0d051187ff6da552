"""GitHub's webhooks alone as a metrics source: no token, and no figures of runners."""

from dataclasses import replace

from bot.adapters.github.job_figures import asks_for, astray, figures, why_astray
from bot.adapters.source import Given, Present, SourceKind
from bot.config import Table
from bot.core.pool.job import EVERY_LABEL, NO_LABEL
from bot.core.pool.pool import Gap, Snapshot
from bot.ports import Failure, Unreachable

FIGURES = (
    *("kinds", "composition", "running", "ended"),
    *("queued", "oldest_wait_seconds", "waiting", "unservable", "ghosts", "arrivals_by_source"),
    *("arrivals_per_minute", "starts_per_minute", "completions_per_minute"),
    *("duration_p50_seconds", "running_longest_seconds", "running_jobs", "reruns", "failed_jobs"),
)


class GitHubWebhooksTable(Table):
    kind: str


class GitHubWebhooksPool(Table):
    label: str = ""
    """The runner label; the pool's name when empty, every job when `*`."""
    limit: int | None = None
    """The pool's maximum of runners, which GitHub does not know."""


class GitHubWebhooks(Present):
    """The port `Metrics`: what the stored webhooks tell of each pool's jobs."""

    def __init__(self, given: Given[GitHubWebhooksTable, GitHubWebhooksPool]) -> None:
        self._system = f"GitHub's webhooks ({given.name})"
        self._jobs, self._pools, self._now = given.context.jobs, given.pools, given.now

    async def snapshot(self, pool: str) -> Snapshot:
        """The pool now; unknown figures have their reason in `missing`. Raises Unreachable if jobs cannot be read."""
        keys = self._pools[pool]
        if self._jobs is None:
            what, remedy = "the stored webhooks cannot be read here", "start Tailback, then check again"
            raise Unreachable(self._system, what, remedy=remedy, failure=Failure.LATER)
        label, now = keys.label.strip() or pool, self._now()
        jobs = await self._jobs.under(label)
        mine = jobs if label == EVERY_LABEL else [job for job in jobs if asks_for(job, [label])]
        shot = replace(figures(pool, mine, now, await self._jobs.line()), limit=keys.limit)
        if shot.queued != 0 or not (lost := astray(await self._jobs.under(NO_LABEL), now)):
            return shot
        gap = Gap("queued", *why_astray(len(lost)))
        return replace(shot, queued=None, oldest_wait_seconds=None, unservable=None, missing=(gap, *shot.missing))


def _figures(_: GitHubWebhooksTable, keys: GitHubWebhooksPool) -> tuple[str, ...]:
    return FIGURES if keys.limit is None else (*FIGURES, "limit")


build = SourceKind(GitHubWebhooksTable, GitHubWebhooksPool, _figures, GitHubWebhooks)
