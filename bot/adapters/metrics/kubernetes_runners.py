"""Builds a scale set's sample from ARC's runners, their pods and the events about both."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bot.adapters.metrics.launch_errors import WINDOW_SECONDS, code_of, counted
from bot.adapters.metrics.rows import Row, inner, instant, rows, text
from bot.core.pool.pool import Gap, Snapshot

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
    told = _told(found.events)
    codes = {_name(row): code_of(f"{_status(row, 'reason')}: {_status(row, 'message')}") for row in failed}
    codes |= {_name(row): code for row in pods if (code := _why(row, told.get(_name(row), []), at))}
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


def _why(pod: Row, told: Sequence[str], at: float) -> str:
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
    codes = [code_of(message) for message in (*told, *unscheduled)]
    return next((code for code in codes if code.endswith(("Exceeded", "Capacity", "Denied"))), "".join(codes[:1]))


def _told(events: Iterable[Row]) -> dict[str, list[str]]:
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
        and at - (_seen(event) or 0.0) <= WINDOW_SECONDS
    }
    return [*found.values()]


def _seen(event: Row) -> float | None:
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
