"""A stand-in for what knows why machines do not come, Kubernetes lists, and a diagnosis from them.

The shapes are those of the Kubernetes API (EventList, PodList) and of ARC's EphemeralRunner
(apis/actions.github.com/v1alpha1/ephemeralrunner_types.go).
"""

from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from bot.adapters.metrics.several import Several
from bot.context.causes import diagnoses, moment_of
from bot.core.finding import Diagnosis
from bot.core.incident.observe import Timing
from bot.core.pool.pool import Pool, PoolRules, measured
from bot.ports import Metrics
from tests.adapters.scalers.kubernetes_api import failure
from tests.answering import answering
from tests.fakes import FakeClock, FakeMetrics
from tests.patience import PATIENCE_SECONDS

POOL = "linux"
LABEL = "actions.github.com/scale-set-name"


def stamp(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def runner(name: str, at: float, scale_set: str = POOL, **status: Any) -> dict[str, Any]:
    """An EphemeralRunner that was created then."""
    metadata = {"name": name, "creationTimestamp": stamp(at), "labels": {LABEL: scale_set}}
    return {"metadata": metadata, "spec": {}, "status": {"ready": False, "phase": "Pending", **status}}


def pod(
    name: str, at: float, *, waiting: str = "", unschedulable: str = "", node: str = "", **status: Any
) -> dict[str, Any]:
    """Its pod, which may wait for an image or for a node."""
    found: dict[str, Any] = {"phase": "Pending", **status}
    if waiting:
        found["containerStatuses"] = [{"name": "runner", "state": {"waiting": {"reason": waiting}}}]
    if unschedulable:
        found["conditions"] = [{"type": "PodScheduled", "reason": "Unschedulable", "message": unschedulable}]
    labels = {"name": name, "creationTimestamp": stamp(at), "labels": {LABEL: POOL}}
    return {"metadata": labels, "spec": {"nodeName": node}, "status": found}


def job_pod(runner_pod: str, at: float, **parts: Any) -> dict[str, Any]:
    """A job's own pod in Kubernetes mode: it has no label of the scale set (actions/runner-container-hooks)."""
    found = pod(f"{runner_pod}-workflow", at, **parts)
    found["metadata"]["labels"] = {"runner-pod": runner_pod}
    return found


def event(kind: str, name: str, reason: str, message: str, at: float) -> dict[str, Any]:
    about = {"kind": kind, "name": name}
    return {
        "involvedObject": about,
        "reason": reason,
        "message": message,
        "lastTimestamp": stamp(at),
        "type": "Warning",
    }


@dataclass
class KubernetesLists:
    """The lists of a namespace, by the last part of their path; small pages on request."""

    ephemeralrunners: list[dict[str, Any]] = field(default_factory=list)
    pods: list[dict[str, Any]] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)
    node_events: list[dict[str, Any]] = field(default_factory=list)
    forbidden: str = ""
    nonsense: object = None
    page: int = 500
    requests: list[str] = field(default_factory=list)

    async def endpoint(self, request: Request) -> Response:
        namespace, kind = request.url.path.split("/")[-2:]
        self.requests.append(f"list {kind} in {namespace}")
        if request.headers.get("authorization") != "Bearer cluster-token":
            return failure(401, "Unauthorized")
        if kind == self.forbidden:
            return failure(403, f'{kind} is forbidden: User "tailback" cannot list resource "{kind}"')
        if self.nonsense is not None:
            return JSONResponse(self.nonsense)
        rows = self.node_events if namespace == "default" else getattr(self, kind)
        start = int(request.query_params.get("continue", "0"))
        more = str(start + self.page) if start + self.page < len(rows) else ""
        return JSONResponse({"metadata": {"continue": more}, "items": rows[start : start + self.page]})

    def url(self) -> AbstractAsyncContextManager[str]:
        return answering(self.endpoint)


async def diagnosed_with(source: Metrics, at: float) -> Diagnosis:
    """The diagnosis of a pool whose queue a CI system knows, and whose machines `source` knows."""
    queue = FakeMetrics(FakeClock(at))
    queue.show(POOL, {"queued": 12, "oldest_wait_seconds": 3600.0})
    sample = await Several({"ci": queue, "machines": source}, PATIENCE_SECONDS).snapshot(POOL)
    pools, rules = {POOL: measured(Pool(POOL), sample, at)}, {POOL: PoolRules(POOL)}
    (found,) = diagnoses([POOL], pools, rules, moment_of(sample.at, Timing()))
    return found
