"""Kubernetes as a metrics source: ARC's runners and their pods, and why some of them do not start."""

import asyncio
from collections.abc import Sequence
from functools import partial
from itertools import chain
from pathlib import Path

from pydantic import Field

from bot.adapters.http.address import BaseUrl
from bot.adapters.http.client import bearer
from bot.adapters.http.rows import Row, document, inner, instant, rows, text
from bot.adapters.metrics.launch_errors import THROTTLED, WINDOW_SECONDS, code_of, tallies
from bot.adapters.source import USUAL_SECONDS, Given, Listed, Listing, Present, SourceKind, SourceTable, tried
from bot.config import Seconds, Table
from bot.core.pool.pool import Gap, Snapshot, Tally
from bot.ports import Failure, Unreachable

SCALE_SET = "actions.github.com/scale-set-name"
"""The label with the scale set's name (actions-runner-controller, constants.go)."""
RUNNER_POD = "runner-pod"
"""A job's own pod names its runner's pod so, in Kubernetes mode (actions/runner-container-hooks)."""
SLOW_SECONDS = 300.0
"""A pod that could not be scheduled for so long counts as a failure; cluster autoscalers need minutes for a node."""
PULLING = frozenset({"ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull"})
TELLING = frozenset(
    {
        *("FailedScheduling", "NotTriggerScaleUp", "FailedScaleUp", "FailedCreate"),
        *("FailedCreatePodSandBox", "Failed", "FailedAttachVolume", "FailedMount", "Evicted"),
    }
)
"""Reasons of events on a pod that say why it does not start; the last five of them in any cluster."""
OF_NODES = frozenset({"NodeClaim", "Node", "NodePool"})
NODE_FAILURES = frozenset(
    {"InsufficientCapacityError", "NodeClassNotReady", "LaunchFailed", "FailedScaleUp", "ScaleUpTimedOut"}
)
"""Reasons of events on nodes and node claims: Karpenter's and the cluster autoscaler's."""
MOUNTED = "/var/run/secrets/kubernetes.io/serviceaccount"
IN_CLUSTER = "https://kubernetes.default.svc"
PAGE, MOST_PAGES = "500", 20
CLUSTER_NAMESPACE = "default"
"""Where events of nodes and node claims are, which have no namespace."""
RUNNERS = "/apis/actions.github.com/v1alpha1/namespaces/{}/ephemeralrunners"
PODS, EVENTS = "/api/v1/namespaces/{}/pods", "/api/v1/namespaces/{}/events"
FIGURES = (
    *("busy", "idle", "booting", "failed", "creates", "registered"),
    *("create_failures", "create_failures_by_code", "failures_by_mark"),
)
Rows = Sequence[Row]


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

    def __init__(self, given: Given[KubernetesEventsTable, KubernetesEventsPool]) -> None:
        table, self._pools = given.table, given.pools
        if not table.ca_file and table.url == IN_CLUSTER and Path(MOUNTED, "ca.crt").exists():
            table = table.model_copy(update={"ca_file": f"{MOUNTED}/ca.crt"})
        token = given.token("token_env", table.token_env)
        token_file = "" if token else table.token_file
        self._http = given.http(table, "Kubernetes", table.url, headers=bearer(token), token_file=token_file)
        paths = [path.format(table.namespace) for path in (RUNNERS, PODS, EVENTS)]
        if table.node_events:
            paths.append(EVENTS.format(CLUSTER_NAMESPACE))
        self._lists = [Listing(partial(self._ask, path), given.now, table.every) for path in paths]

    async def snapshot(self, pool: str) -> Snapshot:
        """The pool now. Without pods or events, failures are unknown. Raises Unreachable without the runners."""
        first, *more = self._lists
        runners, others = await asyncio.gather(first.get(), asyncio.gather(*map(tried, more)))
        pods, *events = [() if isinstance(one, Unreachable) else one.value for one in others]
        gaps = tuple(Gap("create_failures", one.what, one.remedy) for one in others if isinstance(one, Unreachable))
        return _drawn(pool, self._pools[pool].scale_set or pool, runners, pods, [*chain(*events)], gaps)

    async def _ask(self, path: str, now: float) -> Listed[Rows]:
        """Every object of a list. Raises Unreachable if a page is missing."""
        found, more = list[Row](), dict[str, str]()
        kind, namespace = path.rpartition("/")[2], path.split("/")[-2]
        for _ in range(MOST_PAGES):
            try:
                answer = await self._http.get(path, {"limit": PAGE, **more})
            except Unreachable as error:
                if error.failure is not Failure.CREDENTIALS:
                    raise
                remedy = f"allow list on {kind} in namespace {namespace} to Tailback's service account"
                raise self._http.problem(error.what, Failure.CREDENTIALS, remedy=remedy) from None
            body = document(self._http, answer, kind)
            if not isinstance(body.get("items"), list):
                raise self._http.problem(f"its answer is not a list of {kind}", Failure.SHAPE, remedy="check url")
            found += rows(body["items"])
            following = text(inner(body, "metadata"), "continue")
            if not following:
                return Listed(found, now)
            more = {"continue": following}
        raise self._http.problem(f"{path} has more than {MOST_PAGES * int(PAGE):,} objects", Failure.SHAPE)


def _drawn(  # noqa: PLR0913, PLR0917 - a pool, and what the cluster has of it
    pool: str, scale_set: str, listed: Listed[Rows], all_pods: Rows, events: Rows, gaps: tuple[Gap, ...]
) -> Snapshot:
    """The scale set's sample; `gaps` say which lists are missing.

    `ready` is true while a runner is online, and a runner has a job from `Running` on. Failures are runners that ARC
    has given up, and pods that do not start; each counts once, with its most telling reason. A runner whose pod has run
    for minutes without coming online counts as failed. In Kubernetes mode the job runs in a pod of its own, which may
    wait while its runner is busy.
    """
    at, runners = listed.at, [row for row in listed.value if _scale_set(row) == scale_set]
    names = {_name(row) for row in runners}
    live = [row for row in runners if _status(row, "phase") not in {"Failed", "Succeeded", "Outdated"}]
    busy, ready = [row for row in live if _status(row, "phase") == "Running"], [row for row in live if _ready(row)]
    recent = [row for row in runners if at - (_since(row) or 0.0) <= WINDOW_SECONDS]
    failed = [row for row in runners if _status(row, "phase") == "Failed"]
    pods = [row for row in all_pods if _scale_set(row) == scale_set or names & {_name(row), _runner_pod(row)}]
    codes = {_name(row): code_of(f"{_status(row, 'reason')}: {_status(row, 'message')}") for row in failed}
    messages = _messages(events)
    codes |= {_name(row): code for row in pods if (code := _why(row, messages.get(_name(row), ()), at))}
    coming = [row for row in live if row not in busy and row not in ready]
    started = {_name(row) for row in pods if _status(row, "phase") == "Running"}
    silent = [row for row in coming if _name(row) in started and at - (_since(row) or at) >= SLOW_SECONDS]
    held = any(_status(row, "phase") == "Pending" and _runner_pod(row) for row in pods)
    nodes = _failed_nodes(events, at) if coming or held else []
    return Snapshot(
        pool,
        at,
        busy=len(busy),
        idle=sum(row not in busy for row in ready),
        booting=len(coming) - len(silent),
        failed=len(failed) + len(silent),
        creates=len(recent),
        registered=sum(_ready(row) or row in busy or _status(row, "phase") == "Succeeded" for row in recent),
        create_failures=None if gaps else len(codes) + len(nodes),
        create_failures_by_code=tallies([*codes.values(), *nodes]),
        failures_by_mark=_marks([row for row in pods if _name(row) in {*codes, *map(_name, silent)}], pods),
        missing=gaps,
    )


def _why(pod: Row, messages: Sequence[str], at: float) -> str:
    """Why a pod does not start; empty if it does, or may still."""
    for one in rows(inner(pod, "status").get("containerStatuses")):
        waiting = inner(one, "state", "waiting")
        reason = text(waiting, "reason")
        if reason in PULLING:
            throttled = any(code_of(message) == THROTTLED for message in (text(waiting, "message"), *messages))
            return f"{'TooManyRequests' if throttled else 'ImageNotFound'} ({reason})"
    if _status(pod, "phase") == "Failed" and (reason := _status(pod, "reason")):
        return reason  # of the kubelet, such as Evicted or OutOfpods; a job that failed has none
    if _status(pod, "phase") != "Pending" or at - (_since(pod) or at) < SLOW_SECONDS:
        return ""
    conditions = rows(inner(pod, "status").get("conditions"))
    unscheduled = [text(one, "message") for one in conditions if text(one, "reason") == "Unschedulable"]
    codes = [code_of(message) for message in (*messages, *unscheduled)]
    return next(
        (code for code in codes if code.endswith(("Exceeded", "Capacity", "Denied", "Addresses"))), "".join(codes[:1])
    )


def _marks(failed: Rows, pods: Rows) -> tuple[Tally, ...]:
    """Nodes and images of pods that failed, where other pods have others."""
    return tallies(
        one for mark in (_node, _image) if len({*map(mark, pods)} - {""}) > 1 for one in map(mark, failed) if one
    )


def _node(pod: Row) -> str:
    name = text(inner(pod, "spec"), "nodeName")
    return f"node {name}" if name else ""


def _image(pod: Row) -> str:
    name = next((text(one, "image") for one in rows(inner(pod, "spec").get("containers"))), "")
    return f"image {name}" if name else ""


def _messages(events: Rows) -> dict[str, list[str]]:
    """Name of a pod or runner → what telling events say of it."""
    found: dict[str, list[str]] = {}
    for event in events:
        about = inner(event, "involvedObject")
        if text(event, "reason") in TELLING and text(about, "kind") in {"Pod", "EphemeralRunner"}:
            found.setdefault(text(about, "name"), []).append(text(event, "message"))
    return found


def _failed_nodes(events: Rows, at: float) -> list[str]:
    """Codes of recent failures to start a node; one per node or node claim."""
    found: dict[str, str] = {}
    for event in events:
        about = inner(event, "involvedObject")
        times = (
            instant(inner(event, "series"), "lastObservedTime"),  # where newer API servers write it
            instant(event, "lastTimestamp", "eventTime"),
        )
        seen = next((one for one in times if one is not None), 0.0)
        telling = text(about, "kind") in OF_NODES and text(event, "reason") in NODE_FAILURES
        if telling and at - seen <= WINDOW_SECONDS:
            found[text(about, "name")] = code_of(f"{text(event, 'reason')}: {text(event, 'message')}")
    return [*found.values()]


def _scale_set(row: Row) -> object:
    return inner(row, "metadata", "labels").get(SCALE_SET)


def _runner_pod(row: Row) -> str:
    return text(inner(row, "metadata", "labels"), RUNNER_POD)


def _name(row: Row) -> str:
    return text(inner(row, "metadata"), "name")


def _since(row: Row) -> float | None:
    return instant(inner(row, "metadata"), "creationTimestamp")


def _status(row: Row, key: str) -> str:
    return text(inner(row, "status"), key)


def _ready(row: Row) -> bool:
    return inner(row, "status").get("ready") is True


build = SourceKind(KubernetesEventsTable, KubernetesEventsPool, lambda *_: FIGURES, KubernetesEvents)
