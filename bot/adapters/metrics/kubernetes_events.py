"""Kubernetes as a metrics source: ARC's runners and their pods, and why some of them do not start."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pydantic import Field

from bot.adapters.http.address import BaseUrl
from bot.adapters.http.client import Http, bearer
from bot.adapters.metrics.launch_errors import WINDOW_SECONDS, code_of, counted
from bot.adapters.metrics.listing import USUAL_SECONDS, Listed, Listing, Present, tried
from bot.adapters.metrics.rows import Row, document, inner, instant, rows, text
from bot.adapters.metrics.source import Given, SourceKind, SourceTable, always
from bot.config import Seconds, Table
from bot.core.pool.pool import Gap, Snapshot
from bot.ports import Failure, Unreachable

SCALE_SET = "actions.github.com/scale-set-name"
"""The label with the scale set's name (actions-runner-controller, constants.go)."""
SLOW_SECONDS = 300.0
"""A pod that could not be scheduled for so long counts as a failure; cluster autoscalers need minutes for a node."""
PULLING = frozenset({"ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull"})
TELLING = frozenset(
    {"FailedScheduling", "NotTriggerScaleUp", "FailedScaleUp", "FailedCreate", "FailedMount", "Evicted"}
)
"""Reasons of events on a pod that say why it does not start; the last two of them in any cluster."""
OF_NODES = frozenset({"NodeClaim", "Node", "NodePool"})
NODE_FAILURES = frozenset({"InsufficientCapacityError", "LaunchFailed", "FailedScaleUp", "ScaleUpTimedOut"})
"""Reasons of events on nodes and node claims: Karpenter's and the cluster autoscaler's."""


@dataclass(frozen=True, slots=True)
class Objects:
    runners: Sequence[Row]
    pods: Sequence[Row]
    events: Sequence[Row]


def drawn(pool: str, at: float, scale_set: str, found: Objects, gaps: Sequence[Gap]) -> Snapshot:
    """The scale set's sample at `at` (epoch seconds); `gaps` say which lists are missing.

    `ready` is true while a runner is online, and a runner has a job from `Running` on. Failures are runners that ARC
    has given up, and pods that do not start; each counts once, with its most telling reason. A runner whose pod has run
    for minutes without coming online counts as failed.
    """
    runners = [row for row in found.runners if _labels(row).get(SCALE_SET) == scale_set]
    names = {_name(row) for row in runners}
    live = [row for row in runners if _phase(row) not in {"Failed", "Succeeded", "Outdated"}]
    busy, ready = [row for row in live if _phase(row) == "Running"], [row for row in live if _ready(row)]
    recent = [row for row in runners if at - (_since(row) or 0.0) <= WINDOW_SECONDS]
    failed = [row for row in runners if _phase(row) == "Failed"]
    pods = [row for row in found.pods if _labels(row).get(SCALE_SET) == scale_set or _name(row) in names]
    texts = _event_texts(found.events)
    codes = {_name(row): code_of(f"{_status(row, 'reason')}: {_status(row, 'message')}") for row in failed}
    codes |= {_name(row): code for row in pods if (code := _why(row, texts.get(_name(row), []), at))}
    coming = [row for row in live if row not in busy and row not in ready]
    started = {_name(row) for row in pods if _phase(row) == "Running"}
    silent = [row for row in coming if _name(row) in started and at - (_since(row) or at) >= SLOW_SECONDS]
    nodes = [code_of(one) for one in _of_nodes(found.events, at)] if coming else []
    return Snapshot(
        pool,
        at,
        busy=len(busy),
        idle=sum(row not in busy for row in ready),
        booting=len(coming) - len(silent),
        failed=len(failed) + len(silent),
        creates=len(recent),
        registered=sum(_ready(row) or row in busy or _phase(row) == "Succeeded" for row in recent),
        create_failures=None if gaps else len(codes) + len(nodes),
        create_failures_by_code=counted([*codes.values(), *nodes]),
        missing=tuple(gaps),
    )


def _why(pod: Row, texts: Sequence[str], at: float) -> str:
    """Why a pod does not start; empty if it does, or may still."""
    for one in rows(inner(pod, "status").get("containerStatuses")):
        reason = text(inner(inner(one, "state"), "waiting"), "reason")
        if reason in PULLING:
            return f"ImageNotFound ({reason})"
    if _status(pod, "reason") == "Evicted":
        return "Evicted"
    if _phase(pod) != "Pending" or at - (_since(pod) or at) < SLOW_SECONDS:
        return ""
    conditions = rows(inner(pod, "status").get("conditions"))
    unscheduled = [text(one, "message") for one in conditions if text(one, "reason") == "Unschedulable"]
    codes = [code_of(message) for message in (*texts, *unscheduled)]
    return next((code for code in codes if code.endswith(("Exceeded", "Capacity", "Denied"))), "".join(codes[:1]))


def _event_texts(events: Iterable[Row]) -> dict[str, list[str]]:
    """Name of a pod or runner → what telling events say of it."""
    found: dict[str, list[str]] = {}
    for event in events:
        about = inner(event, "involvedObject")
        if text(event, "reason") in TELLING and text(about, "kind") in {"Pod", "EphemeralRunner"}:
            found.setdefault(text(about, "name"), []).append(text(event, "message"))
    return found


def _of_nodes(events: Iterable[Row], at: float) -> list[str]:
    """Recent failures to start a node; one per node or node claim."""
    found = {
        text(inner(event, "involvedObject"), "name"): f"{text(event, 'reason')}: {text(event, 'message')}"
        for event in events
        if text(inner(event, "involvedObject"), "kind") in OF_NODES
        and text(event, "reason") in NODE_FAILURES
        and at - (_event_time(event) or 0.0) <= WINDOW_SECONDS
    }
    return [*found.values()]


def _event_time(event: Row) -> float | None:
    """When an event was last seen; newer API servers write it into `series` or `eventTime`."""
    times = (
        instant(inner(event, "series"), "lastObservedTime"),
        instant(event, "lastTimestamp"),
        instant(event, "eventTime"),
    )
    return next((at for at in times if at is not None), None)


def _labels(row: Row) -> Mapping[str, object]:
    return inner(inner(row, "metadata"), "labels")


def _name(row: Row) -> str:
    return text(inner(row, "metadata"), "name")


def _since(row: Row) -> float | None:
    return instant(inner(row, "metadata"), "creationTimestamp")


def _phase(row: Row) -> str:
    return _status(row, "phase")


def _status(row: Row, key: str) -> str:
    return text(inner(row, "status"), key)


def _ready(row: Row) -> bool:
    return inner(row, "status").get("ready") is True


MOUNTED = "/var/run/secrets/kubernetes.io/serviceaccount"
IN_CLUSTER = "https://kubernetes.default.svc"
PAGE, MOST_PAGES = "500", 20
CLUSTER_NAMESPACE = "default"
"""Where events of nodes and node claims are, which have no namespace."""
RUNNERS = "/apis/actions.github.com/v1alpha1/namespaces/{}/ephemeralrunners"
PODS, EVENTS = "/api/v1/namespaces/{}/pods", "/api/v1/namespaces/{}/events"


class KubernetesEventsTable(SourceTable):
    url: BaseUrl = IN_CLUSTER
    """Inside the cluster the cluster's own CA is trusted, unless `ca_file` names another."""
    namespace: str = Field(pattern=r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")
    """The namespace of the runners."""
    token_env: str = ""
    """Variable with a bearer token, instead of `token_file`."""
    token_file: str = f"{MOUNTED}/token"
    """Read before every request, because the kubelet renews it; empty: no token, as for `kubectl proxy`."""
    node_events: bool = False
    """Whether events of nodes and Karpenter's node claims are read too, in the namespace `default`."""
    every: Seconds = USUAL_SECONDS


class KubernetesEventsPool(Table):
    scale_set: str = ""
    """The name of the runner scale set; the pool's name when empty."""


class KubernetesEvents(Present):
    """The port `Metrics`. Runners, pods and events are each listed once for all pools."""

    def __init__(
        self, http: Http, pools: Mapping[str, str], table: KubernetesEventsTable, now: Callable[[], float]
    ) -> None:
        """`pools`: pool → scale set. `now` gives epoch seconds."""
        self._http, self._pools, self._now = http, pools, now
        paths = [path.format(table.namespace) for path in (RUNNERS, PODS, EVENTS)]
        if table.node_events:
            paths.append(EVENTS.format(CLUSTER_NAMESPACE))
        self._lists = [Listing(partial(self._ask, path), now, table.every) for path in paths]

    async def snapshot(self, pool: str) -> Snapshot:
        """The pool now. Without pods or events, failures are unknown. Raises Unreachable without the runners."""
        runners, *others = await asyncio.gather(*(tried(one) for one in self._lists))
        if isinstance(runners, Unreachable):
            raise runners
        found = [() if isinstance(one, Unreachable) else one.value for one in others]
        gaps = [Gap("create_failures", one.what, one.remedy) for one in others if isinstance(one, Unreachable)]
        pods, *events = found
        objects = Objects(runners.value, pods, [row for rows_ in events for row in rows_])
        return drawn(pool, runners.at, self._pools[pool], objects, gaps)

    async def _ask(self, path: str) -> Listed[tuple[Row, ...]]:
        """Every object of a list. Raises Unreachable if a page is missing."""
        now, found, more = self._now(), list[Row](), dict[str, str]()
        for _ in range(MOST_PAGES):
            body = await self._page(path, more)
            found += rows(body["items"])
            following = text(inner(body, "metadata"), "continue")
            if not following:
                return Listed(tuple(found), now)
            more = {"continue": following}
        raise self._http.problem(f"{path} has more than {MOST_PAGES * int(PAGE):,} objects", Failure.SHAPE)

    async def _page(self, path: str, more: Mapping[str, str]) -> Row:
        kind, namespace = path.rpartition("/")[2], path.split("/")[-2]
        try:
            answer = await self._http.get(path, {"limit": PAGE, **more})
        except Unreachable as error:
            if error.failure is not Failure.CREDENTIALS:
                raise
            remedy = f"allow list on {kind} in namespace {namespace} to Tailback's service account"
            raise self._http.problem(error.what, Failure.CREDENTIALS, remedy=remedy) from None
        body = document(self._http, answer, kind)
        if not isinstance(body.get("items"), list):
            raise self._http.problem(f"its answer is no list of {kind}", Failure.SHAPE, remedy="check url")
        return body


def _made(given: Given[KubernetesEventsTable, KubernetesEventsPool]) -> KubernetesEvents:
    table = given.table
    if not table.ca_file and table.url == IN_CLUSTER and Path(MOUNTED, "ca.crt").exists():
        table = table.model_copy(update={"ca_file": f"{MOUNTED}/ca.crt"})
    token = given.token("token_env", table.token_env)
    token_file = "" if token else table.token_file
    http = given.http(table, "Kubernetes", table.url, headers=bearer(token), token_file=token_file)
    pools = {pool: keys.scale_set or pool for pool, keys in given.pools.items()}
    return KubernetesEvents(http, pools, table, given.context.now)


FIGURES = ("busy", "idle", "booting", "failed", "creates", "registered", "create_failures", "create_failures_by_code")
build = SourceKind(KubernetesEventsTable, KubernetesEventsPool, always(*FIGURES), _made)
