"""The `kubernetes` scaler: replicas of anything with a scale subresource."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated

from pydantic import StringConstraints

from bot.adapters.build_context import Parts, read
from bot.adapters.scalers.cluster import Body, Cluster, ClusterTable, Name, cluster_of, part_number
from bot.core.external import Problem
from bot.core.scaling.limits import ScalePolicy
from bot.ports import Capacity

CAUTION = (
    "If a HorizontalPodAutoscaler, KEDA or a GitOps controller looks after these replicas, it may set another number "
    "again."
)


class KubernetesTable(ClusterTable):
    """`[pool."NAME".scaler]` with `kind = "kubernetes"`."""

    resource: Name = "deployments"
    """The plural, as in the API's paths."""
    group: Annotated[str, StringConstraints(pattern=r"^[-a-z0-9.]*$")] = "apps"
    """The API group; empty for the core group."""
    version: Name = "v1"


class KubernetesScaler:
    """`spec.replicas` of `…/scale` (autoscaling/v1); the API's JSON omits 0 replicas."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    async def read(self) -> Capacity:
        """The configured replicas and the number of pods; a scale subresource has no limits."""
        found = await self._cluster.read()
        return Capacity(part_number(found, "status", "replicas"), desired=_replicas(found))

    async def lacking(self) -> tuple[Problem, ...] | None:
        """Missing permissions, according to the cluster."""
        return await self._cluster.lacking()

    async def set(self, target: int, request_id: str) -> None:  # noqa: ARG002 - an absolute number needs no key
        """Set the replicas if nobody changed them meanwhile."""
        await self._cluster.swap(_replicas, target, lambda _: {"replicas": target})


def build(pool: str, place: str, raw: Mapping[str, object], parts: Parts) -> tuple[KubernetesScaler, ScalePolicy]:
    """The scaler of one pool from its table; raises ConfigError with every problem."""
    table = read(KubernetesTable, place, raw)
    base = f"/apis/{table.group}/{table.version}" if table.group else f"/api/{table.version}"
    path = f"{base}/namespaces/{table.namespace}/{table.resource}/{table.name}/scale"
    cluster = cluster_of(pool, place, table, parts, path, f"get and patch on {table.resource}/scale")
    return KubernetesScaler(cluster), replace(table.policy, caution=CAUTION)


def _replicas(found: Body) -> int:
    return part_number(found, "spec", "replicas") or 0
