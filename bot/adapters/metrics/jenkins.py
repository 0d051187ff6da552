"""Jenkins as a metrics source: its build queue, and executors of nodes with a label."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache, partial
from urllib.parse import unquote

from bot.adapters.http.address import BaseUrl
from bot.adapters.http.client import basic
from bot.adapters.http.rows import Row, document, inner, link, longest, number, part, rows, text, whole
from bot.adapters.jobs.ends import Ends, ListedRun, with_jobs
from bot.adapters.jobs.jenkins import JenkinsFinder
from bot.adapters.source import USUAL_SECONDS, Given, Listed, Listing, Present, SourceKind, SourceTable, tried
from bot.config import Seconds, Table, unusable
from bot.core.kinds.paces import grouped
from bot.core.pool.pool import Gap, Job, Snapshot
from bot.ports import Failure, Unreachable
from bot.sources.job_kind import kind_of

LABELLED = re.compile(r"\blabel [‘'\"]([^’'\"]+)[’'\"]")
QUOTED = re.compile(r"(?<!\w)[‘'\"]([^’'\"]+)[’'\"]|\bexecutor on ([^\s‘'\"]\S*)$")
NOBODY = "There are no nodes with the label"
"""Jenkins's English words; they hold only if no cloud creates such nodes either."""
BUILT_IN = "MasterComputer"
"""How the class of Jenkins's own node ends. While there is no other, explanations name no label (Queue.java)."""
MOST = 2_000
"""Most items and nodes that are read; with more, figures are unknown."""
QUEUE = f"items[why,inQueueSince,buildable,task[name,fullDisplayName,url,labelExpression]]{{0,{MOST + 1}}}"
HIDDEN = "discoverableItems[task[name]]{0,1}"
RUNS = "currentExecutable[number,url,fullDisplayName,timestamp]"
EXECUTORS = f"executors[idle,number,{RUNS}]"
STATE = "offline,offlineCause[timestamp]"
NODES = f"computer[displayName,{STATE},numExecutors,assignedLabels[name],{EXECUTORS}]{{0,{MOST + 1}}}"
BLOCK = "PlaceholderExecutable"
"""How the class of a part of a Pipeline ends that holds an executor; its time is that of the whole build."""
LABEL_SECONDS = 600.0
ENGLISH = {"Accept-Language": "en"}
"""Jenkins explains waits in the reader's language, so English is requested."""
FIGURES = (
    *("queued", "oldest_wait_seconds", "waiting", "busy", "idle", "offline", "booting", "unservable"),
    *("kinds", "composition", "running", "ended"),
)
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

    def __init__(self, given: Given[JenkinsTable, JenkinsPool]) -> None:
        table, login = given.table, given.token("basic_env", given.table.basic_env)
        if login and ":" not in login:
            raise unusable(f"{given.place}: basic_env", f"{table.basic_env} must hold user:token")
        self._http = given.http(table, "Jenkins", table.url, headers=basic(login))
        self.find = JenkinsFinder(self._http, table.url, given.name, given.now).find
        self._labels = {pool: keys.label or pool for pool, keys in given.pools.items()}
        self._lists, self._ends = Listing(self._ask, given.now, table.every), Ends()
        self._known = {
            label: Listing(partial(self._ask_label, label), given.now, LABEL_SECONDS) for label in self._labels.values()
        }

    async def snapshot(self, pool: str) -> Snapshot:
        """The label now; `at` is the time of the request. Raises Unreachable if queue or nodes cannot be read."""
        label, listed = self._labels[pool], await self._lists.get()
        items, nodes = listed.value
        mine = [item for item in items if item.get("buildable") is True and _asks(item, nodes, label)]
        carrying = [node for node in nodes if carries(node, label)]
        if not mine and not carrying:
            known = await tried(self._known[label])
            if isinstance(known, Unreachable):
                return Snapshot(pool, listed.at, missing=(Gap("queued", known.what, known.remedy),))
            if not known.value:
                why = f'neither a node nor a cloud of Jenkins has the label "{label}"'
                return Snapshot(pool, listed.at, missing=(Gap("queued", why, "correct label"),))
        jobs, of_nodes = [_job(item, listed.at) for item in mine], bool(atoms(label))
        online = [node for node in carrying if node.get("offline") is not True]
        executors = [one for node in online for one in rows(node.get("executors"))]
        busy = sum(one.get("idle") is False for one in executors)
        coming = [node for node in carrying if node not in online and connects(node)]
        gone = [node for node in carrying if node not in online and node not in coming]
        runs = self._ends.of(partial(_carried, label), listed.at)
        groups = ((_group(item, label), job.waited_seconds) for item, job in zip(mine, jobs, strict=True))
        unmatched = "nodes are counted for labels that are joined by && only"
        shot = Snapshot(
            pool,
            listed.at,
            queued=len(mine),
            oldest_wait_seconds=max((job.waited_seconds for job in jobs), default=None),
            busy=busy if of_nodes else None,
            idle=len(executors) - busy if of_nodes else None,
            offline=_places(gone) if of_nodes else None,
            booting=_places(coming) if of_nodes else None,
            unservable=sum(NOBODY in text(item, "why") for item in mine),
            waiting=longest(jobs),
            missing=() if of_nodes else tuple(Gap(name, unmatched) for name in ("busy", "idle", "offline", "booting")),
        )
        shot = with_jobs(shot, grouped(groups), runs)
        return shot if mine or agents(nodes) else unplaced(shot, items)

    async def _ask(self, now: float) -> Listed[tuple[Rows, Rows]]:
        queue, nodes = await asyncio.gather(
            self._get("/queue/api/json", f"{QUEUE},{HIDDEN}"), self._get("/computer/api/json", NODES)
        )
        if "items" not in queue or "computer" not in nodes:
            raise self._http.problem("its answer is not that of Jenkins", Failure.SHAPE, remedy="check url")
        if rows(queue.get("discoverableItems")):
            remedy = "give it Job/Read for all jobs"
            raise self._http.problem("hides queued jobs from this user", Failure.CREDENTIALS, remedy=remedy)
        found = tuple(rows(queue["items"])), tuple(rows(nodes["computer"]))
        if max(map(len, found)) > MOST:
            raise self._http.problem(f"has more than {MOST:,} queued items or nodes, too many to read", Failure.SHAPE)
        self._ends.observe(_runs(found[1], self._ends, now), now)
        return Listed(found, now)

    async def _ask_label(self, label: str, now: float) -> Listed[bool]:
        """Whether Jenkins knows the label: a node has it, or a cloud creates nodes with it."""
        path, tree = f"/label/{part(label)}/api/json", {"tree": "nodes[nodeName],clouds[name]"}
        answer = await self._http.get(path, tree, ENGLISH)
        if answer.status == 404:
            return Listed(False, now)
        body = document(self._http, answer, f"label {label}")
        return Listed(bool(body.get("nodes") or body.get("clouds")), now)

    async def _get(self, path: str, tree: str) -> Row:
        return document(self._http, await self._http.get(path, {"tree": tree}, ENGLISH), path)


@lru_cache(1024)
def atoms(expression: str) -> frozenset[str]:
    """The labels that a node must all carry for `linux && docker`; empty for an expression with other operators."""
    parts = [part.strip().strip('"') for part in expression.split("&&")]
    plain = not any(re.search(r"[|!()<>&]|->", part) for part in parts)
    return frozenset(parts) if plain else frozenset()


def same(label: str, expression: str) -> bool:
    return atoms(label) == atoms(expression) if atoms(label) else label.split() == expression.split()


def carries(node: Row, label: str) -> bool:
    """Whether a node has the label; false for expressions that are not matched with nodes."""
    return _carried(label, _names(node))


def _names(node: Row) -> frozenset[str]:
    return frozenset({text(one, "name") for one in rows(node.get("assignedLabels"))} | {text(node, "displayName")})


def _carried(label: str, names: frozenset[str]) -> bool:
    return bool(atoms(label)) and atoms(label) <= names


def _asks(item: Row, nodes: Sequence[Row], label: str) -> bool:
    """The item's label: the job's own, else the one in Jenkins's explanation, or the only node that has it."""
    expression, why = text(inner(item, "task"), "labelExpression"), text(item, "why")
    if expression:
        return same(label, expression)
    if named := LABELLED.findall(why):
        return any(same(label, name) for name in named)
    names = {first or last for first, last in QUOTED.findall(why)}
    return any(same(label, name) for name in names) or any(
        text(node, "displayName") in names and carries(node, label) for node in nodes
    )


def agents(nodes: Sequence[Row]) -> bool:
    """Whether a node besides Jenkins's own is online."""
    return any(node.get("offline") is not True and not text(node, "_class").endswith(BUILT_IN) for node in nodes)


def connects(node: Row) -> bool:
    """Whether a node that is not online is on its way: Jenkins gives no cause until its launch fails.

    core/src/main/java/hudson/slaves/SlaveComputer.java, `_connect`.
    """
    return "offlineCause" in node and node["offlineCause"] is None


def _places(nodes: Sequence[Row]) -> int:
    return sum(whole(node, "numExecutors") or 0 for node in nodes)


def unplaced(shot: Snapshot, items: Sequence[Row]) -> Snapshot:
    """Without agents: items that name neither a label nor a node may wait for the pool, so its queue is unknown."""
    waiting = [item for item in items if item.get("buildable") is True]
    labels = (text(inner(item, "task"), "labelExpression") or QUOTED.search(text(item, "why")) for item in waiting)
    if all(labels):
        return shot
    why = "no agent is online, and Jenkins does not say which labels its waiting items need"
    gaps = (*shot.missing, Gap("queued", why, "see why its cloud starts no agent"))
    return replace(shot, queued=None, oldest_wait_seconds=None, unservable=None, missing=gaps)


def _kind(name: str) -> str:
    """`part of team » app #12 (linux)` is the kind `team » app (linux)`: its number, and that it is a part, go."""
    return kind_of("", name.removeprefix("part of "))


def _group(item: Row, label: str) -> tuple[str, str, str]:
    task = inner(item, "task")
    name = text(task, "fullDisplayName") or text(task, "name")
    return _kind(name), text(task, "labelExpression") or label, ""


def _runs(nodes: Sequence[Row], before: Ends, now: float) -> list[ListedRun]:
    """What the executors do. A part of a Pipeline began when it was first seen: its build may have waited for it."""
    found = list[ListedRun]()
    for node in nodes:
        for executor in rows(node.get("executors")):
            build, place = inner(executor, "currentExecutable"), text(node, "displayName")
            since, name = number(build, "timestamp"), text(build, "fullDisplayName")
            if since is None or not name:
                continue
            run = f"{place}/{whole(executor, 'number')}/{text(build, 'url')}/{name}"
            started = since / 1000
            if text(build, "_class").endswith(BLOCK):
                seen = before.known(run)
                started = seen.started_at if seen else max(started, now)
            found.append(ListedRun(run, _kind(name), started, _names(node), name, "", link(build, "url")))
    return found


def _job(item: Row, at: float) -> Job:
    since, task = number(item, "inQueueSince"), inner(item, "task")
    name = text(task, "fullDisplayName") or text(task, "name") or "unnamed job"
    waited = 0.0 if since is None else max(0.0, at - since / 1000)
    folder = "/".join(unquote(part) for part in re.findall(r"(?:^|/)job/([^/]+)", text(task, "url")))
    return Job(name, waited, folder, link(task, "url"))


build = SourceKind(JenkinsTable, JenkinsPool, lambda *_: FIGURES, Jenkins)
