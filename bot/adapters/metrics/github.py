"""GitHub as a metrics source: runners by REST, jobs by webhooks, compared with the REST API."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from bot.adapters.build_context import Problems
from bot.adapters.github.api import ANSWERS, Allowance, GitHubApi
from bot.adapters.github.auth import App, Token, private_key
from bot.adapters.github.queue import GitHubQueue
from bot.adapters.github.reconcile_jobs import Sight
from bot.adapters.github.runners import RunnerFleet, Runners
from bot.adapters.github.settings import GitHubPool, GitHubTable
from bot.adapters.github.snapshot import snapshot
from bot.adapters.github.status import StatusPage
from bot.adapters.http.client import bearer
from bot.adapters.metrics.source import Given, SourceKind
from bot.config import ConfigError
from bot.core.pool.job import WebhookCoverage, WorkflowJob
from bot.core.pool.pool import Gap, Snapshot
from bot.ports import Failure, Jobs, Unreachable


@dataclass(frozen=True, slots=True)
class Round:
    """The result of one round of calls, for every pool of the source."""

    sight: Sight
    runners: Mapping[str, Runners]
    """By runner group; empty: all runners."""
    remaining: int | None
    provider: tuple[bool | None, str] | None
    """The status page's result; None without a page."""


@dataclass(frozen=True, slots=True)
class Means:
    """The clients that a round uses."""

    api: GitHubApi
    fleet: RunnerFleet
    queue: GitHubQueue
    page: StatusPage | None
    jobs: Jobs | None
    seconds: float
    """The time limit for the queue and for the runners; unread parts are read in the next round."""


class GitHub:
    """The port `Metrics`. All pools share one round of calls, made at most once in `every` seconds."""

    def __init__(
        self, means: Means, pools: Mapping[str, GitHubPool], table: GitHubTable, now: Callable[[], float]
    ) -> None:
        """`now` gives epoch seconds."""
        self._means, self._pools, self._now = means, pools, now
        self._every, self._budget = table.every, table.budget
        self._groups = sorted({pool.runner_group for pool in pools.values()})
        self._turn = asyncio.Lock()
        self._last: Round | None = None

    async def snapshot(self, pool: str) -> Snapshot:
        """The pool now; `at` is the time of the oldest response behind the figures.

        Unknown figures have their reason in `missing`. Raises Unreachable if neither runners nor jobs could be read and
        GitHub's rate limit is unknown too.
        """
        if (keys := self._pools.get(pool)) is None:
            raise self._means.api.problem(f"no figures are configured for the pool {pool}")
        found = await self._newest()
        runners = found.runners[keys.runner_group]
        shot = snapshot(pool, keys, found.sight, runners, heeded=self._means.jobs is not None)
        limited = found.remaining is not None and isinstance(runners, Unreachable) and runners.failure is Failure.LATER
        if isinstance(runners, Unreachable) and shot.queued is None and not limited:
            raise runners
        if found.provider is not None:
            up, said = found.provider
            told = () if up is not None else (Gap("provider_up", said),)
            shot = replace(shot, provider_up=up, missing=(*shot.missing, *told))
        return replace(shot, api_remaining=found.remaining)

    async def history(self, *_: object, **__: object) -> tuple[Snapshot, ...]:
        """Always empty: GitHub keeps no history of queues."""
        return ()

    async def _newest(self) -> Round:
        async with self._turn:
            if self._last is None or not 0 <= self._now() - self._last.sight.at < self._every:
                self._last = await self._round()
            return self._last

    async def _round(self) -> Round:
        means, at, spend = self._means, self._now(), Allowance(self._budget)
        told, line = await self._told()
        runners, provider = await asyncio.gather(self._runners(spend), _status(means.page, means.seconds))
        try:
            async with asyncio.timeout(means.seconds):
                await means.queue.look(at, told, line, spend)
        except TimeoutError:
            means.queue.interrupted(f"GitHub did not show all jobs within {means.seconds:g} s; the next look goes on")
        return Round(means.queue.sight(at, told, line), runners, means.api.remaining, provider)

    async def _told(self) -> tuple[dict[str, WorkflowJob], WebhookCoverage | None]:
        if (jobs := self._means.jobs) is None:
            return {}, None
        labels = sorted({keys.asked(pool)[0] for pool, keys in self._pools.items()})
        lists = await asyncio.gather(*(jobs.under(label) for label in labels))
        return {job.id: job for found in lists for job in found}, await jobs.line()

    async def _runners(self, spend: Allowance) -> dict[str, Runners]:
        found = dict[str, Runners]()
        try:
            async with asyncio.timeout(self._means.seconds):
                for group in self._groups:
                    found[group] = await self._means.fleet.listed(group, spend)
        except TimeoutError:
            late = f"did not list its runners within {self._means.seconds:g} s"
            found |= {
                group: self._means.api.problem(late, Failure.LATER) for group in self._groups if group not in found
            }
        return found


async def _status(page: StatusPage | None, seconds: float) -> tuple[bool | None, str] | None:
    try:
        async with asyncio.timeout(seconds):
            return await page.assigns() if page else None
    except TimeoutError:
        return None, f"GitHub's status page did not answer within {seconds:g} s"


def _made(given: Given[GitHubTable, GitHubPool]) -> GitHub:
    table, problems, apis = given.table, Problems(), list[GitHubApi]()
    with problems:
        apis.append(_api(given))
    for pool, keys in given.pools.items():
        with problems:
            if keys.runner_group and not table.owners:
                why = "only organisations have groups; name one in organizations"
                raise ConfigError([f'[pool."{pool}"]: runner_group: {why}'])
    problems.settle()
    (api,), parts = apis, given.parts
    asked: Sequence[tuple[str, ...]] = [one.asked(pool) for pool, one in given.pools.items()]
    page = given.http(table, "GitHub's status page", table.status_url) if table.status_url else None
    means = Means(
        api,
        RunnerFleet(api, table.owners, table.repositories),
        GitHubQueue(api, table.organizations, table.repositories, asked),
        StatusPage(page, parts.now) if page else None,
        parts.jobs,
        parts.limits.reading,
    )
    return GitHub(means, given.pools, table, parts.now)


def _api(given: Given[GitHubTable, GitHubPool]) -> GitHubApi:
    table, place, now = given.table, given.place, given.parts.now
    if wrong := table.wrong():
        raise ConfigError([f"{place}: {wrong}"])
    if table.token_env:
        token = given.token("token_env", table.token_env)
        http = given.http(table, "GitHub", table.url, headers=bearer(token), answers=ANSWERS)
        return GitHubApi(http, Token(table.token_env), now, table.reserve)
    key = private_key(place, table.private_key_env, given.token("private_key_env", table.private_key_env))
    http = given.http(table, "GitHub", table.url, answers=ANSWERS)
    app = App(http, (str(table.app_id), str(table.installation_id)), key, now)
    return GitHubApi(http, app, now, table.reserve)


def _figures(table: GitHubTable, pool: str, keys: GitHubPool) -> frozenset[str]:  # noqa: ARG001
    found = {*FIGURES, *(("limit",) if keys.limit is not None else ()), *(("provider_up",) if table.status_url else ())}
    return frozenset(found)


FIGURES = (
    *("queued", "oldest_wait_seconds", "waiting", "busy", "idle", "offline", "unservable", "ghosts", "api_remaining"),
    *("arrivals_per_minute", "starts_per_minute", "completions_per_minute", "arrivals_by_source"),
    *("duration_p50_seconds", "running_longest_seconds"),
)
build = SourceKind(GitHubTable, GitHubPool, _figures, _made)
