"""Builds a label's sample from Jenkins's queue and nodes; an item's label is parsed from its explanation."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import unquote

from bot.adapters.metrics.rows import Row, inner, link, longest, number, rows, text, whole
from bot.core.pool.pool import Gap, Job, Snapshot

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
