"""Jenkins as a metrics source: its build queue, and executors of nodes with a label."""

import asyncio
from collections.abc import Callable, Mapping
from functools import partial

from bot.adapters.http.address import BaseUrl
from bot.adapters.http.client import Http, basic
from bot.adapters.metrics.jenkins_answers import Label, drawn, waiting_for
from bot.adapters.metrics.listing import USUAL_SECONDS, Listed, Listing, Present, tried
from bot.adapters.metrics.rows import Row, document, part, rows
from bot.adapters.metrics.source import Given, SourceKind, SourceTable, always
from bot.config import ConfigError, Seconds, Table
from bot.core.pool.pool import Gap, Snapshot
from bot.ports import Failure, Unreachable

MOST = 2_000
"""Most items and nodes that are read; with more, figures are unknown."""
QUEUE = f"items[why,inQueueSince,buildable,task[name,fullDisplayName,url,labelExpression]]{{0,{MOST + 1}}}"
HIDDEN = "discoverableItems[task[name]]{0,1}"
NODES = f"computer[displayName,offline,numExecutors,assignedLabels[name],executors[idle]]{{0,{MOST + 1}}}"
LABEL_SECONDS = 600.0
ENGLISH = {"Accept-Language": "en"}
"""Jenkins explains waits in the reader's language, so English is requested."""
Rows = tuple[Row, ...]


class JenkinsTable(SourceTable):
    """`[metrics.NAME]` with `kind = "jenkins"`."""

    url: BaseUrl
    basic_env: str = ""
    """Names the variable with `user:token`, an API token of a user with Overall/Read and Job/Read."""
    every: Seconds = USUAL_SECONDS


class JenkinsPool(Table):
    """The keys of `[pool."NAME"]` that belong to Jenkins."""

    label: str = ""
    """The label of this pool, or several joined by `&&`; the pool's own name when empty."""


class Jenkins(Present):
    """The port `Metrics`. Queue and nodes are read once for all pools.

    Executors count as runners. Only buildable items are queued; items that wait for another build, a resource or a
    quiet period do not wait for a node.
    """

    def __init__(self, http: Http, pools: Mapping[str, Label], now: Callable[[], float], seconds: float) -> None:
        """`now` gives epoch seconds."""
        self._http, self._pools, self._now = http, pools, now
        self._looks = Listing(self._ask, now, seconds)
        self._known = {
            pool: Listing(partial(self._ask_label, label), now, LABEL_SECONDS) for pool, label in pools.items()
        }

    async def snapshot(self, pool: str) -> Snapshot:
        """The label now; `at` is the time of the request. Raises Unreachable if queue or nodes cannot be read."""
        label, listed = self._pools[pool], await self._looks.get()
        items, nodes = listed.value
        if not waiting_for(items, nodes, label) and not any(label.carried_by(node) for node in nodes):
            known = await tried(self._known[pool])
            if isinstance(known, Unreachable) or not known.value:
                why = f'neither a node nor a cloud of Jenkins has the label "{label.name}"'
                gap = Gap("queued", why, "correct label")
                if isinstance(known, Unreachable):
                    gap = Gap("queued", known.what, known.remedy)
                return Snapshot(pool, listed.at, missing=(gap,))
        return drawn(pool, listed.at, label, items, nodes)

    async def _ask(self) -> Listed[tuple[Rows, Rows]]:
        now = self._now()
        queue, nodes = await asyncio.gather(
            self._get("/queue/api/json", f"{QUEUE},{HIDDEN}"), self._get("/computer/api/json", NODES)
        )
        if "items" not in queue or "computer" not in nodes:
            raise self._http.problem("its answer is not that of Jenkins", Failure.SHAPE, remedy="check url")
        if rows(queue.get("discoverableItems")):
            raise self._http.problem(
                "hides queued jobs from this user", Failure.CREDENTIALS, remedy="give it Job/Read for all jobs"
            )
        found = tuple(rows(queue["items"])), tuple(rows(nodes["computer"]))
        if max(map(len, found)) > MOST:
            raise self._http.problem(f"has more than {MOST:,} queued items or nodes, too many to read", Failure.SHAPE)
        return Listed(found, now)

    async def _ask_label(self, label: Label) -> Listed[bool]:
        """Whether Jenkins knows the label: a node has it, or a cloud creates nodes with it."""
        now = self._now()
        answer = await self._http.get(
            f"/label/{part(label.name)}/api/json", {"tree": "nodes[nodeName],clouds[name]"}, ENGLISH
        )
        if answer.status == 404:
            return Listed(False, now)
        body = document(self._http, answer, f"label {label.name}")
        return Listed(bool(body.get("nodes") or body.get("clouds")), now)

    async def _get(self, path: str, tree: str) -> Row:
        return document(self._http, await self._http.get(path, {"tree": tree}, ENGLISH), path)


def _made(given: Given[JenkinsTable, JenkinsPool]) -> Jenkins:
    table, login = given.table, given.token("basic_env", given.table.basic_env)
    if login and ":" not in login:
        raise ConfigError([f"{given.place}: basic_env: {table.basic_env} must hold user:token"])
    labels = {pool: Label(keys.label or pool) for pool, keys in given.pools.items()}
    return Jenkins(given.http(table, "Jenkins", table.url, headers=basic(login)), labels, given.parts.now, table.every)


FIGURES = ("queued", "oldest_wait_seconds", "waiting", "busy", "idle", "offline", "unservable")
build = SourceKind(JenkinsTable, JenkinsPool, always(*FIGURES), _made)
