"""GitLab as a metrics source: pending jobs of its projects, and runners with a pool's tags."""

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from itertools import chain

from pydantic import Field

from bot.adapters.http.address import BaseUrl
from bot.adapters.http.client import Http
from bot.adapters.metrics.gitlab_answers import GitLabFigures, GitLabWanted, drawn
from bot.adapters.metrics.gitlab_pages import whole_list
from bot.adapters.metrics.listing import USUAL_SECONDS, Listed, Listing, Present, tried
from bot.adapters.metrics.rows import Row, part, whole
from bot.adapters.metrics.source import Given, SourceKind, SourceTable
from bot.config import ConfigError, Seconds, Table
from bot.core.pool.pool import Snapshot
from bot.ports import Unreachable

MOST_PROJECTS = 50
Rows = tuple[Row, ...]


class GitlabTable(SourceTable):
    """`[metrics.NAME]` with `kind = "gitlab"`."""

    url: BaseUrl = "https://gitlab.com"
    token_env: str
    """Names the variable with an access token with the scope read_api."""
    projects: tuple[str, ...] = ()
    """Paths or ids of the projects that use these runners; GitLab has no list of an instance's pending jobs."""
    group: str = ""
    """Path or id of the group whose runners are listed, with one request instead of one per project."""
    every: Seconds = USUAL_SECONDS


class GitlabPool(Table):
    """The keys of `[pool."NAME"]` that belong to GitLab."""

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
        asked = self._pools[pool]
        jobs, runners = await asyncio.gather(tried(self._jobs), tried(self._runners[asked.tags]))
        if isinstance(jobs, Unreachable):
            raise jobs
        every = not self._table.group
        looks = GitLabFigures(*jobs.value, runners.what if isinstance(runners, Unreachable) else runners.value, every)
        return drawn(pool, jobs.at, looks, GitLabWanted(frozenset(asked.tags), asked.run_untagged, asked.slots))

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
    if not 1 <= len(table.projects) <= MOST_PROJECTS:
        why = f'names 1 to {MOST_PROJECTS} projects, for example ["group/project"]'
        raise ConfigError([f"{given.place}: projects: {why}"])
    tagged = {
        pool: keys if keys.tags else keys.model_copy(update={"tags": (pool,)}) for pool, keys in given.pools.items()
    }
    token = given.token("token_env", table.token_env)
    return Gitlab(
        given.http(table, "GitLab", table.url, headers={"PRIVATE-TOKEN": token}), tagged, table, given.parts.now
    )


def _figures(table: GitlabTable, pool: str, keys: GitlabPool) -> frozenset[str]:  # noqa: ARG001
    usual = ("queued", "oldest_wait_seconds", "waiting", "busy", "offline", "unservable", "running_longest_seconds")
    return frozenset({*usual, *(("idle",) if keys.slots else ())})


build = SourceKind(GitlabTable, GitlabPool, _figures, _made)
