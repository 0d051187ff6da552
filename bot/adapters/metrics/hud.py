"""PyTorch's HUD as a metrics source: jobs that have waited over 5 min, and the organizations' runners."""

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Annotated

from pydantic import Field

from bot.adapters.http.address import BaseUrl
from bot.adapters.http.client import Http, HttpAnswer
from bot.adapters.metrics.hud_answers import HudFigures, complete, drawn, no_such_label
from bot.adapters.metrics.listing import USUAL_SECONDS, Listed, Listing, Present, tried
from bot.adapters.metrics.rows import Row, document, instant, listing, number, rows, text
from bot.adapters.metrics.source import Given, SourceKind, SourceTable, always
from bot.config import Seconds, Table
from bot.core.pool.pool import Origin, Snapshot
from bot.ports import Failure, Unreachable

HEADER = "x-hud-internal-bot"
RUNNERS_SECONDS = 120.0
"""HUD caches its list of runners this long."""
LABELS_SECONDS = 600.0
OTHERS = {"queuedThresholdMinutes": 5, "maxAgeDays": 1, "repo": ""}
"""Parameters for all repositories: the same five minutes, and no job older than jobs can live."""

COLUMNS = {
    "queued_jobs": "machine_type",
    "queued_jobs_by_label": "machine_type",
    "queued_jobs_aggregate": "runner_label",
}
"""The column that names the label; rows without it are of another schema."""
Rows = tuple[Row, ...]


class HudTable(SourceTable):
    url: BaseUrl = "https://hud.pytorch.org"
    token_env: str = ""
    """Names the variable with the value of the header x-hud-internal-bot."""
    organizations: list[Annotated[str, Field(pattern="^[A-Za-z0-9-]+$")]] = Field(default=["pytorch"], min_length=1)
    """Organizations whose runners are counted, and whose repositories share them."""
    timeout: Seconds | None = Field(default=180.0, gt=0, le=600)
    """HUD's own time limit: some queries take minutes, and count at a later measurement."""
    every: Seconds = USUAL_SECONDS


class HudPool(Table):
    known_as: str = ""
    """The runner label (HUD's machine_type) of this pool; its own name when empty."""


class Hud(Present):
    """The port `Metrics`. One set of requests serves all pools of the source.

    HUD lists a job only after it has waited 5 min, so `queued` counts those: 0 means that no job has waited longer, and
    `floor` is compared with this count. A missing row counts as 0 only if HUD knows the label and answered both for
    pytorch/pytorch and for the other repositories; otherwise the length is unknown. Jobs older than a day are ghost
    rows (docs/design/diagnosis.md#definitions).
    """

    def __init__(self, http: Http, pools: Mapping[str, str], table: HudTable, now: Callable[[], float]) -> None:
        """`pools`: pool → runner label. `now` gives epoch seconds."""
        self._http, self._pools, self._organizations, self._now = http, pools, table.organizations, now
        others = {**OTHERS, "orgs": list(table.organizations)}
        self._jobs = Listing(partial(self._ask_query, "queued_jobs"), now, table.every)
        self._labelled = Listing(partial(self._ask_query, "queued_jobs_by_label"), now, table.every)
        self._others = Listing(partial(self._ask_query, "queued_jobs_aggregate", others), now, table.every)
        self._runners = Listing(self._ask_runners, now, max(table.every, RUNNERS_SECONDS))
        self._labels = Listing(self._ask_labels, now, LABELS_SECONDS)

    async def snapshot(self, pool: str) -> Snapshot:
        """The pool now; `at` is the oldest time of HUD's answers behind the queue, `origins` has that of the runners.

        A query that fails or takes long costs only its own figures. Raises Unreachable when HUD answers none.
        """
        label = self._pools[pool]
        asked = (self._jobs, self._labelled, self._others, self._runners)
        jobs, labels, others, runners = await asyncio.gather(*(tried(one) for one in asked))
        queues = [one for one in (jobs, labels, others) if not isinstance(one, Unreachable)]
        if not queues:
            raise jobs if isinstance(jobs, Unreachable) else self._http.problem("gave no figures", Failure.LATER)
        looks = HudFigures(_rows(jobs), _rows(labels), _rows(others), _rows(runners))
        unknown = "" if looks.know(label) else await self._unknown(label)
        remedy = _remedy(jobs) if isinstance(jobs, Unreachable) and not unknown else ""
        shot = drawn(pool, label, min(one.at for one in queues), looks, unknown, remedy)
        if isinstance(runners, Unreachable) or runners.at >= shot.at:
            return shot
        return replace(shot, origins=(Origin("", runners.at, ("busy", "idle", "offline")),))

    async def _unknown(self, label: str) -> str:
        """Why a label without waiting jobs may not exist; empty if it does."""
        found = await tried(self._labels)
        if isinstance(found, Unreachable):
            return f"whether there is such a label is unknown: {found.what}"
        labels = {text(row, "machine_type") for row in found.value}
        return "" if label in labels else no_such_label(label, labels)

    async def _ask_query(self, name: str, parameters: Mapping[str, object] | None = None) -> Listed[Rows]:
        """The rows of a query at HUD's own time: that of its rows, and less the age of a cached answer."""
        now, answer = self._now(), await self._query(name, parameters)
        found, column = tuple(rows(answer.body)), COLUMNS[name]
        if found and not any(text(row, column) for row in found):
            raise self._http.problem(f"query {name}: its rows have no {column}", Failure.SHAPE)
        times = [at for row in found if (at := instant(row, "time")) is not None]
        return Listed(found, min([_measured_at(answer, now), *times]))

    async def _ask_runners(self) -> Listed[Rows]:
        """The groups of all organizations; raises Unreachable if one is incomplete."""
        now = self._now()
        paths = [f"/api/runners/{name}" for name in self._organizations]
        answers = await asyncio.gather(*(self._get(path) for path in paths))
        found: list[Row] = []
        for path, answer in zip(paths, answers, strict=True):
            body = document(self._http, answer, path)
            if not complete(body):
                raise self._http.problem(f"{path} lists fewer runners than it says", Failure.LATER)
            found += rows(body.get("groups"))
        return Listed(tuple(found), min(_measured_at(answer, now) for answer in answers))

    async def _ask_labels(self) -> Listed[Rows]:
        return Listed(tuple(rows((await self._query("all_machine_types")).body)), self._now())

    async def _query(self, name: str, parameters: Mapping[str, object] | None = None) -> HttpAnswer:
        answer = await self._get(f"/api/clickhouse/{name}", {"parameters": json.dumps(parameters or {})})
        listing(self._http, answer, f"query {name}")
        return answer

    async def _get(self, path: str, params: Mapping[str, str] | None = None) -> HttpAnswer:
        """GET; bot protection answers with an HTML page under any status."""
        try:
            return await self._http.get(path, params)
        except Unreachable as problem:
            if not problem.what.lower().partition("): ")[2].startswith(("<!doctype", "<html")):
                raise
            what = f"{path} answered with a web page instead of figures; name a token that HUD accepts in token_env"
            raise self._http.problem(what, problem.failure, problem.retry_after_seconds) from None


def _measured_at(answer: HttpAnswer, now: float) -> float:
    """When HUD made an answer: a cache in between says how old it is."""
    return now - (number(answer.headers, "age") or 0.0)


def _remedy(problem: Unreachable) -> str:
    if problem.failure is Failure.LATER:
        return "check again in a minute"
    return problem.remedy or "check url and token_env of the source"


def _rows(found: Listed[Rows] | Unreachable) -> Rows | str:
    return found.what if isinstance(found, Unreachable) else found.value


def _made(given: Given[HudTable, HudPool]) -> Hud:
    table = given.table
    token = given.token("token_env", table.token_env)
    http = given.http(table, "HUD", table.url, headers={HEADER: token} if token else {})
    return Hud(http, {pool: keys.known_as or pool for pool, keys in given.pools.items()}, table, given.context.now)


FIGURES = ("queued", "oldest_wait_seconds", "busy", "idle", "offline", "ghosts", "arrivals_by_source", "waiting")
build = SourceKind(HudTable, HudPool, always(*FIGURES), _made, shared=True)
