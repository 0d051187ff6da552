"""GitLab as a metrics source: pending jobs of its projects, and runners with a pool's tags."""

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import chain
from urllib.parse import parse_qsl, urlsplit

from pydantic import Field

from bot.adapters.http.address import BaseUrl
from bot.adapters.http.client import Http, HttpAnswer
from bot.adapters.metrics.listing import USUAL_SECONDS, Listed, Listing, Present, tried
from bot.adapters.metrics.rows import Row, inner, instant, link, listing, longest, number, part, text, texts, whole
from bot.adapters.metrics.source import Given, SourceKind, SourceTable
from bot.config import Seconds, Table
from bot.core.pool.pool import Gap, Job, Snapshot
from bot.core.words import listed
from bot.ports import Failure, Unreachable

MOST_PAGES = 30
PAGE = 100
NEXT = re.compile(r'<([^<>]+)>\s*;\s*rel="?next"?')


async def whole_list(http: Http, path: str, params: Mapping[str, str], what: str, remedy: str) -> tuple[Row, ...]:
    """Every row of a list; `what` and `remedy` describe the list if it does not exist.

    Only the parameters of the link to the next page are used, never its host, which may differ behind a proxy. An older
    GitLab without keyset for the list (HTTP 405) is read by offset. Raises Unreachable if a page fails, or with more
    than 3,000 rows.
    """
    asked = {**params, "per_page": str(PAGE)}
    found: list[Row] = []
    for _ in range(MOST_PAGES):
        answer = await http.get(path, asked)
        if answer.status == 405 and asked.pop("pagination", ""):
            continue
        if answer.status in {400, 404}:
            raise http.problem(
                f"has no {what} for this token (HTTP {answer.status}: {answer.text})", Failure.SHAPE, remedy=remedy
            )
        page = listing(http, answer, what)
        if any(whole(row, "id") is None for row in page):
            raise http.problem(
                f"{what}: its rows have no id, as those of GitLab have", Failure.SHAPE, remedy="check url"
            )
        found += page
        after = following(answer)
        if after is None:
            return tuple(found)
        asked = {**asked, **after}
    raise http.problem(f"the {what} has more than {MOST_PAGES * PAGE:,} rows, too many to list", Failure.SHAPE)


def following(answer: HttpAnswer) -> dict[str, str] | None:
    """The parameters of the next page; None on the last."""
    found = NEXT.search(answer.headers.get("link", ""))
    return dict(parse_qsl(urlsplit(found[1]).query)) if found else None


def covers(keys: "GitlabPool", job: Row) -> bool:
    """GitLab's own rule: a runner has all tags of the job, or takes untagged ones."""
    asked = texts(job.get("tag_list"))
    return asked <= {*keys.tags} if asked else keys.run_untagged


def _unservable(runners: Sequence[Row], every: bool, queued: int) -> int | None:
    """All jobs if no registered runner could take one; GitLab then says so in the job."""
    if any(row.get("paused") is not True for row in runners):
        return 0
    return queued if every else None


def _longest_run(running: Sequence[Row], at: float) -> float | None:
    starts = [start for row in running if (start := instant(row, "started_at")) is not None]
    return max(0.0, at - min(starts)) if starts else None


def _job(row: Row, waited_seconds: float) -> Job:
    url = link(row, "web_url")
    project = urlsplit(url).path.partition("/-/")[0].strip("/")
    name = " / ".join(part for part in (text(row, "stage"), text(row, "name")) if part)
    return Job(name or "unnamed job", waited_seconds, project, url)


MOST_PROJECTS = 50
Rows = tuple[Row, ...]


class GitlabTable(SourceTable):
    url: BaseUrl = "https://gitlab.com"
    token_env: str
    """Names the variable with an access token with the scope read_api."""
    projects: tuple[str, ...] = Field(min_length=1, max_length=MOST_PROJECTS)
    """Paths or ids of the projects that use these runners; GitLab has no list of an instance's pending jobs."""
    group: str = ""
    """Path or id of the group whose runners are listed, with one request instead of one per project."""
    every: Seconds = USUAL_SECONDS


class GitlabPool(Table):
    tags: tuple[str, ...] = ()
    """The tags of this pool's runners; empty: the pool's name."""
    run_untagged: bool = False
    """Whether these runners also take jobs without tags."""
    slots: int | None = Field(default=None, ge=1)
    """Jobs that one runner takes at once; GitLab does not say."""


class Gitlab(Present):
    """The port `Metrics`. Each project's jobs are listed once for all pools, and runners once per set of tags.

    A job belongs to a pool whose tags include all of the job's. Lists are read to their last page; figures of an
    incomplete list are unknown.
    """

    def __init__(
        self, http: Http, pools: Mapping[str, GitlabPool], table: GitlabTable, now: Callable[[], float]
    ) -> None:
        """`pools`: with their tags filled in. `now` gives epoch seconds."""
        self._http, self._pools, self._table, self._now = http, pools, table, now
        self._jobs = Listing(self._ask_jobs, now, table.every)
        kinds = {pool.tags for pool in pools.values()}
        self._runners = {tags: Listing(partial(self._ask_runners, tags), now, table.every) for tags in kinds}

    async def snapshot(self, pool: str) -> Snapshot:
        """The pool now; `at` is when the jobs were listed. Raises Unreachable if they could not be."""
        jobs, runners = await asyncio.gather(tried(self._jobs), tried(self._runners[self._pools[pool].tags]))
        if isinstance(jobs, Unreachable):
            raise jobs
        return self._drawn(pool, jobs, runners)

    def _drawn(self, pool: str, jobs: Listed[tuple[Rows, Rows]], found: Listed[Rows] | Unreachable) -> Snapshot:
        (pending, all_running), at, keys = jobs.value, jobs.at, self._pools[pool]
        mine = [row for row in pending if covers(keys, row)]
        waiting = [_job(row, wait) for row in mine if (wait := number(row, "queued_duration")) is not None]
        unknown = Gap("oldest_wait_seconds", "GitLab does not say when some of the jobs came")
        missing = [] if len(waiting) == len(mine) else [unknown]
        waits = None if missing else max((job.waited_seconds for job in waiting), default=None)
        if isinstance(found, Unreachable):
            missing += [Gap(name, found.what) for name in ("busy", "offline", "unservable")]
            return Snapshot(pool, at, len(mine), waits, waiting=longest(waiting), missing=tuple(missing))
        runners = found.value
        if not runners and not mine:
            why = f"no runner carries the tags {listed(sorted(keys.tags))} and no job asks for them, correct tags"
            return Snapshot(pool, at, missing=(Gap("queued", why),))
        ids = {whole(row, "id") for row in runners}
        running = [row for row in all_running if whole(inner(row, "runner"), "id") in ids]
        online = [row for row in runners if text(row, "status") == "online" and row.get("paused") is not True]
        every = not self._table.group  # a project's list has every runner that may take its jobs
        return Snapshot(
            pool,
            at,
            queued=len(mine),
            oldest_wait_seconds=waits,
            busy=len(running),
            idle=None if keys.slots is None else max(0, keys.slots * len(online) - len(running)),
            offline=sum(text(row, "status") == "offline" for row in runners),
            unservable=_unservable(runners, every, len(mine)),
            running_longest_seconds=_longest_run(running, at),
            waiting=longest(waiting),
            missing=tuple(missing),
        )

    async def _ask_jobs(self) -> Listed[tuple[Rows, Rows]]:
        now, projects = self._now(), self._table.projects
        asked = [(project, scope) for scope in ("pending", "running") for project in projects]
        found = await asyncio.gather(*(self._ask_project(project, scope) for project, scope in asked))
        pending, running = found[: len(projects)], found[len(projects) :]
        return Listed((tuple(chain.from_iterable(pending)), tuple(chain.from_iterable(running))), now)

    async def _ask_project(self, project: str, scope: str) -> Rows:
        path, params = f"/api/v4/projects/{part(project)}/jobs", {"scope[]": scope, "pagination": "keyset"}
        remedy = "correct projects, and let the token's owner see its jobs"
        return await whole_list(self._http, path, params, f"project {project}", remedy)

    async def _ask_runners(self, tags: tuple[str, ...]) -> Listed[Rows]:
        group, now = self._table.group, self._now()
        asked = [("group", group)] if group else [("project", project) for project in self._table.projects]
        found = await asyncio.gather(*(self._ask_owner(kind, name, tags) for kind, name in asked))
        return Listed(tuple({whole(row, "id"): row for row in chain.from_iterable(found)}.values()), now)

    async def _ask_owner(self, kind: str, name: str, tags: tuple[str, ...]) -> Rows:
        path, params = f"/api/v4/{kind}s/{part(name)}/runners", {"tag_list": ",".join(tags)}
        remedy = f"correct {kind}{'' if kind == 'group' else 's'}, and let the token's owner see its runners"
        return await whole_list(self._http, path, params, f"{kind} {name}", remedy)


def _made(given: Given[GitlabTable, GitlabPool]) -> Gitlab:
    table = given.table
    tagged = {
        pool: keys if keys.tags else keys.model_copy(update={"tags": (pool,)}) for pool, keys in given.pools.items()
    }
    token = given.token("token_env", table.token_env)
    return Gitlab(
        given.http(table, "GitLab", table.url, headers={"PRIVATE-TOKEN": token}), tagged, table, given.context.now
    )


def _figures(table: GitlabTable, pool: str, keys: GitlabPool) -> frozenset[str]:  # noqa: ARG001
    usual = ("queued", "oldest_wait_seconds", "waiting", "busy", "offline", "unservable", "running_longest_seconds")
    return frozenset({*usual, *(("idle",) if keys.slots else ())})


build = SourceKind(GitlabTable, GitlabPool, _figures, _made)
