"""GitHub's webhooks alone as a metrics source: no token, and no figures of runners."""

from dataclasses import replace

from bot.adapters.github.job_figures import asks_for, astray, figures, why_astray
from bot.adapters.loop.turns import Turns
from bot.adapters.source import Given, Listed, Listing, Present, SourceKind
from bot.config import Table
from bot.core.pool.job import EVERY_LABEL, NO_LABEL, WebhookCoverage
from bot.core.pool.pool import Gap, Snapshot
from bot.ports import Failure, Unreachable

FIGURES = (
    *("kinds", "composition", "running", "ended"),
    *("queued", "oldest_wait_seconds", "waiting", "unservable", "ghosts", "arrivals_by_source"),
    *("arrivals_per_minute", "starts_per_minute", "completions_per_minute"),
    *("duration_p50_seconds", "running_longest_seconds", "running_jobs", "reruns", "failed_jobs"),
)


ROUND_SECONDS = 1.0
"""How long an answer that is the same for all pools is shared: when webhooks began, and the jobs without a label."""


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
        self._line, self._lost = (Listing(ask, given.now, ROUND_SECONDS) for ask in (self._heard, self._astray))
        self._turns = Turns()

    async def snapshot(self, pool: str) -> Snapshot:
        """The pool now; unknown figures have their reason in `missing`. Raises Unreachable if jobs cannot be read."""
        keys = self._pools[pool]
        if self._jobs is None:
            what, remedy = "the stored webhooks cannot be read here", "start Tailback, then check again"
            raise Unreachable(self._system, what, remedy=remedy, failure=Failure.LATER)
        label, now = keys.label.strip() or pool, self._now()
        jobs, line = await self._jobs.under(label), (await self._line.get()).value

        def sample() -> Snapshot:
            mine = jobs if label == EVERY_LABEL else [job for job in jobs if asks_for(job, [label])]
            return replace(figures(pool, mine, now, line), limit=keys.limit)

        shot = await self._turns.take(sample)
        if shot.queued != 0 or not (lost := (await self._lost.get()).value):
            return shot
        gap = Gap("queued", *why_astray(lost))
        return replace(shot, queued=None, oldest_wait_seconds=None, unservable=None, missing=(gap, *shot.missing))

    async def _heard(self, now: float) -> Listed[WebhookCoverage | None]:
        return Listed(await self._jobs.line() if self._jobs else None, now)

    async def _astray(self, now: float) -> Listed[int]:
        return Listed(len(astray(await self._jobs.under(NO_LABEL), now)) if self._jobs else 0, now)


def _figures(_: GitHubWebhooksTable, keys: GitHubWebhooksPool) -> tuple[str, ...]:
    return FIGURES if keys.limit is None else (*FIGURES, "limit")


build = SourceKind(GitHubWebhooksTable, GitHubWebhooksPool, _figures, GitHubWebhooks)
