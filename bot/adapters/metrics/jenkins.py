"""Jenkins as a metrics source: its build queue, and executors of nodes with a label."""

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from urllib.parse import unquote

from bot.adapters.http.address import BaseUrl
from bot.adapters.http.client import Http, basic
from bot.adapters.metrics.listing import USUAL_SECONDS, Listed, Listing, Present, tried
from bot.adapters.metrics.rows import Row, document, inner, link, longest, number, part, rows, text, whole
from bot.adapters.metrics.source import Given, SourceKind, SourceTable, always
from bot.config import Seconds, Table, unusable
from bot.core.pool.pool import Gap, Job, Snapshot
from bot.ports import Failure, Unreachable

LABELLED = re.compile(r"\blabel [‘'\"]([^’'\"]+)[’'\"]")
QUOTED = re.compile(r"(?<!\w)[‘'\"]([^’'\"]+)[’'\"]|\bexecutor on ([^\s‘'\"]\S*)$")
NOBODY = "There are no nodes with the label"
"""Jenkins's English words; they hold only if no cloud creates such nodes either."""


@dataclass(frozen=True, slots=True)
class Label:
    """A label, or several that a node must all carry: `linux && docker`."""

    name: str
    atoms: frozenset[str] = field(init=False)
    """Empty for an expression with other operators, which is not matched with nodes."""

    def __post_init__(self) -> None:
        parts = [part.strip().strip('"') for part in self.name.split("&&")]
        plain = not any(re.search(r"[|!()<>&]|->", part) for part in parts)
        object.__setattr__(self, "atoms", frozenset(parts) if plain else frozenset())

    def same(self, expression: str) -> bool:
        other = Label(expression)
        return self.atoms == other.atoms if self.atoms else self.name.split() == expression.split()

    def carried_by(self, node: Row) -> bool:
        names = {text(one, "name") for one in rows(node.get("assignedLabels"))} | {text(node, "displayName")}
        return bool(self.atoms) and self.atoms <= names


def waiting_for(items: Sequence[Row], nodes: Sequence[Row], label: Label) -> list[Row]:
    """Items that wait for a node with the label; items held by other builds or a quiet period are excluded."""
    return [item for item in items if item.get("buildable") is True and _asks(item, nodes, label)]


def _asks(item: Row, nodes: Sequence[Row], label: Label) -> bool:
    """The item's label: the job's own, else the one in Jenkins's explanation, or the only node that has it."""
    expression, why = text(inner(item, "task"), "labelExpression"), text(item, "why")
    if expression:
        return label.same(expression)
    if named := LABELLED.findall(why):
        return any(label.same(name) for name in named)
    names = {first or last for first, last in QUOTED.findall(why)}
    return any(label.same(name) for name in names) or any(
        text(node, "displayName") in names and label.carried_by(node) for node in nodes
    )


def drawn(pool: str, at: float, label: Label, items: Sequence[Row], nodes: Sequence[Row]) -> Snapshot:
    """A label's sample: its waiting items, and the executors of its nodes."""
    mine = waiting_for(items, nodes, label)
    jobs = [_job(item, at) for item in mine]
    carrying = [node for node in nodes if label.carried_by(node)]
    online = [node for node in carrying if node.get("offline") is not True]
    busy = sum(one.get("idle") is False for node in online for one in rows(node.get("executors")))
    every = sum(len(rows(node.get("executors"))) for node in online)
    gone = sum(whole(node, "numExecutors") or 0 for node in carrying if node not in online)
    counted = bool(label.atoms)
    why = "nodes are counted for labels that are joined by && only"
    return Snapshot(
        pool,
        at,
        queued=len(mine),
        oldest_wait_seconds=max((job.waited_seconds for job in jobs), default=None),
        busy=busy if counted else None,
        idle=every - busy if counted else None,
        offline=gone if counted else None,
        unservable=sum(NOBODY in text(item, "why") for item in mine),
        waiting=longest(jobs),
        missing=() if counted else tuple(Gap(name, why) for name in ("busy", "idle", "offline")),
    )


def _job(item: Row, at: float) -> Job:
    since = number(item, "inQueueSince")
    task = inner(item, "task")
    name = text(task, "fullDisplayName") or text(task, "name") or "unnamed job"
    waited = 0.0 if since is None else max(0.0, at - since / 1000)
    return Job(name, waited, _folder(text(task, "url")), link(task, "url"))


def _folder(url: str) -> str:
    """`team/app` of `…/job/team/job/app/12/`: Jenkins's equivalent of a repository."""
    return "/".join(unquote(part) for part in re.findall(r"(?:^|/)job/([^/]+)", url))


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
    url: BaseUrl
    basic_env: str = ""
    """Names the variable with `user:token`, an API token of a user with Overall/Read and Job/Read."""
    every: Seconds = USUAL_SECONDS


class JenkinsPool(Table):
    label: str = ""
    """The label of this pool, or several joined by `&&`; the pool's own name when empty."""


class Jenkins(Present):
    """The port `Metrics`. Queue and nodes are read once for all pools.

    Executors count as runners. Only buildable items are queued; items that wait for another build, a resource or a
    quiet period do not wait for a node.
    """

    def __init__(self, http: Http, pools: Mapping[str, Label], now: Callable[[], float], seconds: float) -> None:
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
        raise unusable(f"{given.place}: basic_env", f"{table.basic_env} must hold user:token")
    labels = {pool: Label(keys.label or pool) for pool, keys in given.pools.items()}
    return Jenkins(
        given.http(table, "Jenkins", table.url, headers=basic(login)), labels, given.context.now, table.every
    )


FIGURES = ("queued", "oldest_wait_seconds", "waiting", "busy", "idle", "offline", "unservable")
build = SourceKind(JenkinsTable, JenkinsPool, always(*FIGURES), _made)
