"""GitHub as a metrics source: runners by REST, jobs by webhooks, compared with the REST API."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from bot.adapters.build_context import Problems
from bot.adapters.github.api import ANSWERS, Allowance, GitHubApi, Trouble
from bot.adapters.github.job_figures import GRACE_SECONDS, astray, figures, running_jobs, taken_apart
from bot.adapters.github.queue import GitHubQueue
from bot.adapters.github.reconcile_jobs import KnownJobs, KnownQueues, known_jobs
from bot.adapters.github.runners import RunnerFleet, Runners
from bot.adapters.github.settings import GitHubPool, GitHubTable, api_of
from bot.adapters.http.background import begun
from bot.adapters.http.client import Http
from bot.adapters.http.json_answer import one_line
from bot.adapters.http.rows import rows
from bot.adapters.jobs.github import GitHubFinder
from bot.adapters.loop.turns import Turns
from bot.adapters.source import Given, Listed, Listing, Present, SourceKind, tried
from bot.config import unusable
from bot.core.pool.job import NO_LABEL, WorkflowJob, key_of
from bot.core.pool.pool import Gap, Snapshot
from bot.core.pool.retention import Origin
from bot.core.words import listed
from bot.ports import Failure, Unreachable
from bot.sources.payload import fields

RUNNERS_SHARE = 2 / 3
"""Share of a round's calls that long lists of runners may use, so that the queue is read beside them."""
GOOD_SECONDS = 60.0
"""How long a response of the status page is valid."""
COMPONENT = "Actions"
UP = {"operational": True, "partial_outage": False, "major_outage": False}
"""A degraded service assigns some jobs late, which is neither up nor down."""
UNLABELLED = "correct it, unless the pool is scaled to zero or a scale set"
NO_LIMIT = Gap("limit", "GitHub does not know it", "write limit = N into the pool's table")
FIGURES = (
    *("queued", "oldest_wait_seconds", "waiting", "busy", "idle", "offline", "unservable", "ghosts", "api_remaining"),
    *("arrivals_per_minute", "starts_per_minute", "completions_per_minute", "arrivals_by_source"),
    *("duration_p50_seconds", "running_longest_seconds", "kinds", "composition", "running", "ended"),
    *("running_jobs", "reruns", "failed_jobs"),
)
SAVED_ROUNDS = 15
"""Unused calls of so many rounds may be made in one. With the usual 30 a round this is half of the 900 points that
GitHub allows in a minute (https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api).
"""
ProviderStatus = tuple[bool | None, str]
"""(whether GitHub says that Actions works, in what words); None: it does not say."""


class GitHub(Present):
    """The port `Metrics`. All pools share one round of calls, made at most once in `every` seconds, in the background.

    Lists of large organizations take longer than a measurement may. Each figure then is that of the newest complete
    list, with its own age.
    """

    def __init__(self, given: Given[GitHubTable, GitHubPool]) -> None:
        table, context, self._pools, self._now = given.table, given.context, given.pools, given.now
        self._api = _api(given)
        self._jobs, self._patience = context.jobs, context.limits.reading
        self._every, self._budget = table.every, table.budget
        self._saved = SAVED_ROUNDS * table.budget
        self._fleet = RunnerFleet(self._api, table.owners, table.repositories)
        labels = [keys.labels_of(pool) for pool, keys in given.pools.items()]
        self._queue = GitHubQueue(self._api, table.organizations, table.repositories, labels)
        only = {name.lower() for name in (*table.organizations, *table.repositories)}
        known = frozenset[str]() if table.enterprises else frozenset(only)
        self.find = GitHubFinder(self._api, table.url, given.name, known, context.jobs).find
        self._page: Listing[ProviderStatus] | None = None
        if table.status_url:
            page = given.http(table, "GitHub's status page", table.status_url)
            self._page = Listing(partial(assigns, page), given.now, GOOD_SECONDS, self._patience)
        self._groups = sorted({pool.runner_group for pool in given.pools.values()})
        self._round: asyncio.Task[None] | None = None
        self._began: float | None = None
        self._slow = False
        self._heard: KnownQueues | None = None
        self._webhooks_lock, self._jobs_lock = asyncio.Lock(), asyncio.Lock()
        self._turns = Turns()
        self._known: KnownJobs | None = None
        self._known_from: tuple[KnownQueues, asyncio.Task[None] | None] | None = None
        """What webhooks told, and the round that was running then."""
        self._runners: dict[str, Runners] = {}
        self._provider: ProviderStatus | None = None
        self._carried: dict[str, float] = {}
        """Pool → when the newest list with a runner of it was read (epoch seconds)."""

    async def snapshot(self, pool: str) -> Snapshot:
        """The pool now; `at` is the time of the oldest response behind the queue, `origins` has that of the runners.

        Unknown figures have their reason in `missing`. Raises Unreachable if neither runners nor jobs could be read and
        GitHub's rate limit is unknown too.
        """
        keys = self._pools[pool]
        heard = await self._webhooks()
        await self._read(heard)
        late = f"GitHub did not list everything within {self._patience:g} s; the next check continues"
        if self._round is not None:
            self._queue.interrupted(late)
        runners = self._runners.get(keys.runner_group) or self._api.problem(late, Failure.LATER)
        known, heeded = await self._all_jobs(heard), self._jobs is not None
        if not isinstance(runners, Unreachable) and runners.value.carrying(keys.labels_of(pool)):
            self._carried[pool] = runners.at
        carried_at = self._carried.get(pool)
        shot = await self._turns.take(
            lambda: snapshot(pool, keys, known, runners, heeded=heeded, carried_at=carried_at)
        )
        remaining = self._api.remaining
        limited = remaining is not None and isinstance(runners, Unreachable) and runners.failure is Failure.LATER
        if isinstance(runners, Unreachable) and shot.queued is None and not limited:
            raise runners
        if self._provider is not None:
            up, status_words = self._provider
            gaps = () if up is not None else (Gap("provider_up", status_words),)
            shot = replace(shot, provider_up=up, missing=(*shot.missing, *gaps))
        return replace(shot, api_remaining=remaining)

    async def _webhooks(self) -> KnownQueues:
        """The jobs that webhooks told of, when they were read, and how complete they are; once for all pools."""
        async with self._webhooks_lock:
            if self._heard is None or not 0 <= self._now() - self._heard.at < self._every:
                heard = KnownQueues(self._now())
                if (jobs := self._jobs) is not None:
                    labels = sorted({keys.labels_of(pool)[0] for pool, keys in self._pools.items()})
                    group_alone, *lists = await asyncio.gather(*map(jobs.under, (NO_LABEL, *labels)))
                    by_webhook = {job.id: job for found in (*lists, astray(group_alone, heard.at)) for job in found}
                    heard = replace(heard, by_webhook=by_webhook, line=await jobs.line())
                self._heard = heard
            return self._heard

    async def _all_jobs(self, heard: KnownQueues) -> KnownJobs:
        """The jobs of every pool by label: worked out once, and again when the running round is over."""
        async with self._jobs_lock:
            source, during = self._known_from or (None, None)
            if self._known is None or source is not heard or during is not self._round:
                self._known_from = (heard, self._round)
                self._known = await known_jobs(self._queue.known_queues(heard))
            return self._known

    async def _read(self, heard: KnownQueues) -> None:
        """Start a round when one is due, and wait a little for the one that runs."""
        if self._round is None and (self._began is None or not 0 <= heard.at - self._began < self._every):
            self._began = heard.at
            self._round = begun(self._one_round(heard))
        if (running := self._round) is not None:
            done, _ = await asyncio.wait({running}, timeout=self._patience)
            for one in done:
                one.result()

    async def _one_round(self, heard: KnownQueues) -> None:
        """Runners first, so that one refusal stops the rest; side by side once a round has taken long."""
        spend = Allowance(min(self._saved + self._budget, SAVED_ROUNDS * self._budget))
        try:
            if self._slow:
                await asyncio.gather(self._list(spend), self._status(), self._queue.read_round(heard, spend))
            else:
                await asyncio.gather(self._list(spend), self._status())
                await self._queue.read_round(heard, spend)
            self._slow = self._now() - heard.at > self._patience
        finally:
            self._round, self._saved = None, spend.left

    async def _list(self, spend: Allowance) -> None:
        share = spend.share(RUNNERS_SHARE)
        for group in self._groups:
            self._runners[group] = await self._fleet.listed(group, share)

    async def _status(self) -> None:
        if self._page is not None:
            found = await tried(self._page)
            self._provider = (None, str(found)) if isinstance(found, Unreachable) else found.value


def _api(given: Given[GitHubTable, GitHubPool]) -> GitHubApi:
    """The client; raises ConfigError also for pools of groups where no owner has groups."""
    table, problems, apis = given.table, Problems(), list[GitHubApi]()
    with problems:
        http = partial(given.http, table, "GitHub", table.url, answers=ANSWERS)
        apis.append(api_of(table, given.place, given.token, http, given.now, reserve=table.reserve))
    for pool, keys in given.pools.items():
        with problems:
            if keys.runner_group and not table.owners:
                what = "only organisations have groups"
                raise unusable(f'[pool."{pool}"]: runner_group', what, "name one in organizations")
    problems.settle()
    return apis[0]


async def assigns(http: Http, now: float) -> Listed[ProviderStatus]:
    """What a page in the format of https://www.githubstatus.com/api/v2/components.json says. Raises Unreachable."""
    for one in rows(fields(await http.send_json("GET")).get("components")):
        if one.get("name") == COMPONENT:
            word = one_line(str(one.get("status")), 40)
            words = f"GitHub's status page says {word.replace('_', ' ')} of {COMPONENT}"
            return Listed((UP.get(word), words), now)
    return Listed((None, f"{http.system}: its answer names no component {COMPONENT}; correct status_url"), now)


def snapshot(  # noqa: PLR0913 - a pool, and what is known
    pool: str, keys: GitHubPool, known: KnownJobs, runners: Runners, *, heeded: bool, carried_at: float | None = None
) -> Snapshot:
    """The pool at the time of the oldest response.

    `heeded`: webhooks are stored. `carried_at`: when a runner had its labels last, so that none with them means 0. Not
    at once: GitHub's list may be empty for one look (actions/runner#756). Nor while jobs run on such runners (#936).
    """
    labels = keys.labels_of(pool)
    shot = _queue(pool, labels, known, runners)
    missing = [gap for gap in shot.missing if heeded or gap.figure == "queued"]
    if keys.limit is None:
        missing.append(NO_LIMIT)
    if isinstance(runners, Unreachable):
        return replace(shot, limit=keys.limit, missing=(*missing, Gap("runners", runners.what, runners.remedy)))
    running = {job.runner for _, job in running_jobs(known.of(labels), known.at, known.over)} - {""}
    counts = runners.value.counts(labels, running)
    if not any(counts.values()):  # those of a scale set carry none in GitHub's API (actions-runner-controller#4425)
        group = f" of the group {keys.runner_group}" if keys.runner_group else ""
        why = f"no runner{group} carries {listed(labels)} now"
        missing.append(Gap("label", why, UNLABELLED))
        if running or carried_at is None or runners.at - carried_at <= GRACE_SECONDS:
            return replace(shot, limit=keys.limit, missing=tuple(missing))
    ages = (Origin("", runners.at, tuple(counts)),) if runners.at < shot.at else ()
    return replace(shot, **counts, limit=keys.limit, missing=tuple(missing), origins=ages)  # type: ignore[arg-type]


def _queue(pool: str, labels: Sequence[str], known: KnownJobs, runners: Runners) -> Snapshot:
    """The queue from webhooks and the REST API; the latter gives its length even without webhooks."""
    jobs, at = known.of(labels), known.read_at
    shot = figures(pool, jobs, known.at, known.line, known.over)
    silent = tuple(gap for gap in shot.missing if gap.figure != "queued")
    if known.line is None:
        shot = replace(shot, duration_p50_seconds=None)
    found, doubt = taken_apart(jobs, known.at, known.over), known.doubt
    if not found.queued and known.unread:
        at = known.unread
    if isinstance(at, Trouble):
        unknown = replace(shot, queued=None, oldest_wait_seconds=None, running_longest_seconds=None)
        return replace(unknown, unservable=None, ghosts=None, missing=(Gap("queued", *at), *silent))
    return replace(
        shot,
        at=at,
        queued=len(found.queued),
        oldest_wait_seconds=max((0.0, *(known.at - job.begun for job in found.queued))),
        running_longest_seconds=max((age for age, _ in running_jobs(jobs, known.at, known.over)), default=0.0),
        unservable=unservable(found.queued, runners, labels),
        ghosts=len(found.ghosts),
        missing=(*silent, *((Gap("webhooks", *doubt),) if doubt else ())),
    )


def unservable(queued: Sequence[WorkflowJob], runners: Runners, labels: Sequence[str]) -> int | None:
    """Queued jobs with a label that no runner of the pool has.

    None while the pool has no registered runner, because an autoscaler may create one with all labels.
    """
    if isinstance(runners, Unreachable) or not (mine := runners.value.carrying(labels)):
        return None
    carried = {runner.labels for runner in mine}
    needs_of_jobs = [{key_of(label) for label in job.labels} for job in queued]
    return sum(not any(needs <= labels_of for labels_of in carried) for needs in needs_of_jobs)


def _figures(table: GitHubTable, keys: GitHubPool) -> tuple[str, ...]:
    limit, up = keys.limit is not None, bool(table.status_url)
    return (*FIGURES, *(("limit",) if limit else ()), *(("provider_up",) if up else ()))


build = SourceKind(GitHubTable, GitHubPool, _figures, GitHub, shared=True)
