"""GitLab as a metrics source: pending jobs of its projects, and runners with a pool's tags."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from pydantic import Field

from bot.adapters.http.address import BaseUrl
from bot.adapters.http.client import Http, HttpAnswer
from bot.adapters.http.rows import Row, inner, instant, link, listing, longest, number, part, rows, text, texts, whole
from bot.adapters.jobs.ends import Ends, ListedRun, with_jobs
from bot.adapters.jobs.gitlab import GitlabFinder
from bot.adapters.source import USUAL_SECONDS, Given, Listed, Listing, Present, SourceKind, SourceTable, tried
from bot.config import Seconds, Table
from bot.core.kinds.paces import JobGroup, grouped
from bot.core.pool.pool import Gap, Job, Snapshot
from bot.core.words import clock, listed
from bot.ports import Failure, Unreachable
from bot.sources.job_kind import kind_of

MOST_PAGES = 30
PAGE = 100
MOST_PROJECTS = 50
NEXT = re.compile(r'<([^<>]+)>\s*;\s*rel="?next"?')
FIGURES = (
    *("queued", "oldest_wait_seconds", "waiting", "busy", "offline", "unservable", "running_longest_seconds"),
    *("kinds", "composition", "running", "ended"),
)
Rows = tuple[Row, ...]
UNTIMED = Gap("oldest_wait_seconds", "GitLab does not say when some of the jobs came")
SILENT_SECONDS = 3600.0
"""GitLab writes a contact down after 55 min at the latest, and calls a runner online for two hours after it."""
MANAGERS_SECONDS, MOST_RUNNERS = 300.0, 20
"""How often, and of how many runners, managers are asked for, each with one request, and only while jobs wait."""


@dataclass(frozen=True, slots=True)
class Silent:
    """A runner that is online for GitLab, and is not heard of."""

    runner: int | None
    name: str
    since: float
    """The last contact of any of its managers (epoch seconds)."""

    @property
    def words(self) -> str:
        return f"GitLab calls {self.name} online, although its last contact was at {clock(self.since)} UTC"


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
    autoscaled: bool = False
    """Whether machines come only with the jobs, so that `slots` are how many may run, and no idle machines."""


class Gitlab(Present):
    """The port `Metrics`. Each project's jobs are listed once for all pools, and runners once per set of tags.

    A job belongs to a pool whose tags include all of the job's. Lists are read to their last page; figures of an
    incomplete list are unknown.
    """

    def __init__(self, given: Given[GitlabTable, GitlabPool]) -> None:
        self._table = table = given.table
        token = given.token("token_env", table.token_env)
        self._http = given.http(table, "GitLab", table.url, headers={"PRIVATE-TOKEN": token})
        self.find = GitlabFinder(self._http, table.url, given.name, table.projects, given.now).find
        self._pools = {
            pool: keys.model_copy(update={"tags": keys.tags or (pool,)}) for pool, keys in given.pools.items()
        }
        self._jobs, self._ends = Listing(self._ask_jobs, given.now, table.every), Ends()
        self._runners = {
            keys.tags: Listing(partial(self._ask_runners, keys.tags), given.now, table.every)
            for keys in self._pools.values()
        }
        self._managers = {
            tags: Listing(partial(self._ask_managers, tags), given.now, max(MANAGERS_SECONDS, table.every))
            for tags in self._runners
        }

    async def snapshot(self, pool: str) -> Snapshot:
        """The pool now; `at` is when the jobs were listed. Raises Unreachable if they could not be."""
        keys = self._pools[pool]
        jobs, runners = await asyncio.gather(self._jobs.get(), tried(self._runners[keys.tags]))
        (pending, running), at = jobs.value, jobs.at
        mine = [row for row in pending if _covers(keys, row)]
        waiting = [_job(row, wait) for row in mine if (wait := number(row, "queued_duration")) is not None]
        missing = [] if len(waiting) == len(mine) else [UNTIMED]
        waits = None if missing else max((job.waited_seconds for job in waiting), default=None)
        if isinstance(runners, Unreachable):
            missing += [Gap(name, runners.what) for name in ("busy", "offline", "unservable")]
            shot = Snapshot(pool, at, len(mine), waits, waiting=longest(waiting), missing=tuple(missing))
            return replace(shot, composition=_groups(mine))
        if not runners.value and not mine:
            why = f"no runner carries the tags {listed(sorted(keys.tags))} and no job asks for them, correct tags"
            return Snapshot(pool, at, missing=(Gap("queued", why),))
        ids = {whole(row, "id") for row in runners.value}
        runs = [row for row in running if whole(inner(row, "runner"), "id") in ids]
        seen = self._ends.of(lambda place: not place.isdisjoint(map(str, ids)), at)
        by_runners, gaps = await self._by_runners(keys, runners.value, len(mine), len(runs))
        shot = Snapshot(
            pool,
            at,
            queued=len(mine),
            oldest_wait_seconds=waits,
            busy=len(runs),
            running_longest_seconds=max((one.ran_seconds for one in seen.running), default=None),
            waiting=longest(waiting),
            missing=(*missing, *gaps),
            **by_runners,
        )
        return with_jobs(shot, _groups(mine), seen)

    async def _by_runners(
        self, keys: GitlabPool, runners: Rows, queued: int, busy: int
    ) -> tuple[dict[str, Any], list[Gap]]:
        """(figures of the pool's runners, what is odd about them)."""
        usable = [row for row in runners if row.get("paused") is not True]
        silent = await self._silent(keys.tags) if queued else ()
        gone = {one.runner for one in silent}
        online = sum(text(row, "status") == "online" and whole(row, "id") not in gone for row in usable)
        most = None if keys.slots is None else keys.slots * online
        every = not self._table.group  # a project's list has every runner that may take its jobs
        figures = {
            "idle": _idle(keys, most, busy),
            "limit": most if keys.autoscaled else None,
            "offline": sum(text(row, "status") == "offline" or whole(row, "id") in gone for row in runners),
            "unservable": 0 if usable else queued if every else None,  # GitLab then says so in the job
        }
        return figures, [Gap("runners", one.words, "look at its machine") for one in silent]

    async def _silent(self, tags: tuple[str, ...]) -> tuple["Silent", ...]:
        found = await tried(self._managers[tags])
        return () if isinstance(found, Unreachable) else found.value

    async def _ask_managers(self, tags: tuple[str, ...], now: float) -> Listed[tuple["Silent", ...]]:
        """The runners that are online for GitLab, and whose managers have been silent for too long."""
        rows_ = (await self._runners[tags].get()).value
        online = [row for row in rows_ if text(row, "status") == "online"][:MOST_RUNNERS]
        paths = [f"/api/v4/runners/{whole(row, 'id')}/managers" for row in online]
        answers = await asyncio.gather(*map(self._http.get, paths))
        found = list[Silent]()
        for row, answer in zip(online, answers, strict=True):
            managers = rows(answer.body) if answer.ok else []
            times = [at for one in managers if (at := instant(one, "contacted_at")) is not None]
            if times and now - max(times) > SILENT_SECONDS:
                found.append(Silent(whole(row, "id"), text(row, "description"), max(times)))
        return Listed(tuple(found), now)

    async def _ask_jobs(self, now: float) -> Listed[tuple[Rows, Rows]]:
        """(pending, running) jobs of all projects."""
        remedy = "correct projects, and let the token's owner see its jobs"
        lists = [
            whole_list(
                self._http,
                f"/api/v4/projects/{part(project)}/jobs",
                {"scope[]": scope, "pagination": "keyset"},
                f"project {project}",
                remedy,
            )
            for scope in ("pending", "running")
            for project in self._table.projects
        ]
        found, half = await asyncio.gather(*lists), len(self._table.projects)
        running = tuple(chain(*found[half:]))
        self._ends.observe((run for row in running if (run := _run(row)) is not None), now)
        return Listed((tuple(chain(*found[:half])), running), now)

    async def _ask_runners(self, tags: tuple[str, ...], now: float) -> Listed[Rows]:
        """The runners of the group, or of all projects, each once."""
        group, query = self._table.group, {"tag_list": ",".join(tags)}
        kind, names, setting = ("group", (group,), "group") if group else ("project", self._table.projects, "projects")
        remedy = f"correct {setting}, and let the token's owner see its runners"
        paths = {name: f"/api/v4/{kind}s/{part(name)}/runners" for name in names}
        lists = (whole_list(self._http, path, query, f"{kind} {name}", remedy) for name, path in paths.items())
        found = await asyncio.gather(*lists)
        return Listed(tuple({whole(row, "id"): row for row in chain(*found)}.values()), now)


async def whole_list(http: Http, path: str, params: Mapping[str, str], what: str, remedy: str) -> Rows:
    """Every row of a list; `what` and `remedy` describe the list if it does not exist.

    Only the parameters of the link to the next page are used, never its host, which may differ behind a proxy. An older
    GitLab without keyset for the list (HTTP 405) is read by offset. Raises Unreachable if a page fails, or with more
    than 3,000 rows.
    """
    query = {**params, "per_page": str(PAGE)}
    found: list[Row] = []
    for _ in range(MOST_PAGES):
        answer = await http.get(path, query)
        if answer.status == 405 and query.pop("pagination", ""):
            continue
        if answer.status in {400, 404}:
            refusal = f"has no {what} for this token (HTTP {answer.status}: {answer.text})"
            raise http.problem(refusal, Failure.SHAPE, remedy=remedy)
        page = listing(http, answer, what)
        if any(whole(row, "id") is None for row in page):
            odd = f"{what}: its rows have no id, as those of GitLab have"
            raise http.problem(odd, Failure.SHAPE, remedy="check url")
        found += page
        after = following(answer)
        if after is None:
            return tuple(found)
        query = {**query, **after}
    raise http.problem(f"the {what} has more than {MOST_PAGES * PAGE:,} rows, too many to list", Failure.SHAPE)


def following(answer: HttpAnswer) -> dict[str, str] | None:
    """The parameters of the next page; None on the last."""
    found = NEXT.search(answer.headers.get("link", ""))
    return dict(parse_qsl(urlsplit(found[1]).query)) if found else None


def _idle(keys: GitlabPool, most: int | None, busy: int) -> int | None:
    """Free slots; those of an autoscaled runner are permissions, of which only none left says something."""
    free = None if most is None else max(0, most - busy)
    return None if keys.autoscaled and free else free


def _covers(keys: GitlabPool, job: Row) -> bool:
    """GitLab's own rule: a runner has all tags of the job, or takes untagged ones."""
    tags = texts(job.get("tag_list"))
    return tags <= {*keys.tags} if tags else keys.run_untagged


def _job(row: Row, waited_seconds: float) -> Job:
    name = " / ".join(part for part in (text(row, "stage"), text(row, "name")) if part)
    return Job(name or "unnamed job", waited_seconds, _project(row), link(row, "web_url"))


def _project(row: Row) -> str:
    return urlsplit(link(row, "web_url")).path.partition("/-/")[0].strip("/")


def _kind(row: Row) -> str:
    return kind_of(text(row, "stage"), text(row, "name"), texts(row.get("tag_list")))


def _groups(pending: Sequence[Row]) -> tuple[JobGroup, ...]:
    """Unknown while GitLab gives no waiting time for some of them."""
    waits = [(row, number(row, "queued_duration")) for row in pending]
    timed = [(row, wait) for row, wait in waits if wait is not None]
    keys = ((_kind(row), ", ".join(sorted(texts(row.get("tag_list")))), _project(row)) for row, _ in timed)
    return grouped(zip(keys, (wait for _, wait in timed), strict=True)) if len(timed) == len(waits) else ()


def _run(row: Row) -> ListedRun | None:
    """A running job; None if GitLab gives no start time."""
    started, job = instant(row, "started_at"), _job(row, 0.0)
    place, number_of = frozenset({str(whole(inner(row, "runner"), "id"))}), str(whole(row, "id"))
    return (
        None if started is None else ListedRun(number_of, _kind(row), started, place, job.name, job.repository, job.url)
    )


def _figures(_: GitlabTable, keys: GitlabPool) -> tuple[str, ...]:
    return (*FIGURES, *(("idle",) if keys.slots else ()), *(("limit",) if keys.slots and keys.autoscaled else ()))


build = SourceKind(GitlabTable, GitlabPool, _figures, Gitlab)
