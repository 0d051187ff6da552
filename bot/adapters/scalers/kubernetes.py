"""The `kubernetes` scaler: replicas of a scale subresource, or any numeric field of any object."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Self

from pydantic import Field, StringConstraints, model_validator

from bot.adapters.build_context import BuildContext, read
from bot.adapters.scalers.cluster import RELEASE, Body, Cluster, ClusterTable, Name, cluster_of
from bot.adapters.scalers.quantity import Dotted, Path, amount, at, dotted, path_of
from bot.config import WrongSetting
from bot.core.external import Problem
from bot.core.scaling.limits import ScalePolicy
from bot.ports import Capacity, Refused, Unreachable

CAUTION = (
    "If a HorizontalPodAutoscaler, KEDA or a GitOps controller looks after these replicas, it may set another number "
    "again."
)
FIELD_CAUTION = "A Helm or GitOps sync may set this field back."


class KubernetesTable(ClusterTable):
    namespace: Annotated[str, StringConstraints(pattern=r"^[-a-z0-9.]*$")] = ""
    """Of the object; empty for objects without one, such as a NodePool."""
    resource: Name = "deployments"
    """The plural, as in the API's paths."""
    group: Annotated[str, StringConstraints(pattern=r"^[-a-z0-9.]*$")] = "apps"
    """The API group; empty for the core group."""
    version: Name = "v1"
    field: Dotted = ""
    """The field to set, such as `spec.minReplicas`; empty: the replicas of the scale subresource."""
    current_field: Dotted = ""
    """Where the object says how many there are; empty: nowhere."""
    min_field: Dotted = ""
    """A field below which `field` may not go."""
    max_field: Dotted = ""
    """A field above which `field` may not go."""
    per_runner: int = Field(default=1, ge=1)
    """What the fields count for one runner, such as 4 for a runner with 4 CPUs."""

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if not self.field and (self.current_field or self.min_field or self.max_field or self.per_runner > 1):
            raise WrongSetting("current_field, min_field, max_field and per_runner need field", "add it")
        if not self.field and not self.namespace:
            raise WrongSetting("everything with a scale subresource has a namespace", "add namespace")
        return self


@dataclass(frozen=True, slots=True)
class Figures:
    """Where an object says what; an empty path says nothing."""

    field: Path
    """The number that is set."""
    current: Path = ()
    minimum: Path = ()
    maximum: Path = ()
    per_runner: int = 1
    absent: int | None = None
    """What a missing `field` means; None: unknown."""
    manager: str = ""
    """The field manager for server-side apply; empty: a merge patch, whoever manages the field."""
    unset: str = "set it there first"
    """What to do when `field` is missing."""
    trouble: Callable[[Body], str] = lambda _: ""
    """Why the configured runners do not come, as the object says."""


@dataclass(frozen=True, slots=True)
class ObjectScaler:
    cluster: Cluster
    figures: Figures

    async def read(self) -> Capacity:
        """The configured number, its limits in the same object, and how many there are if it says so."""
        found, figures = await self.cluster.read(), self.figures
        level, current = self._level(found), self._runners(found, figures.current)
        most = self._runners(found, figures.maximum)
        return Capacity(
            current if figures.current else level,
            self._least(found),
            most,
            desired=level if figures.current else None,
            limited_by="" if most is None else f"{dotted(figures.maximum)} of {self.cluster.table.name}",
            trouble=figures.trouble(found),
        )

    async def lacking(self) -> tuple[Problem, ...] | None:
        """Missing permissions according to the cluster, and others who manage the field."""
        lacking, place, manager = await self.cluster.lacking(), self.figures.field, self.figures.manager
        if lacking or not manager:
            return lacking
        try:
            others = self.cluster.owners(await self.cluster.read(), place, manager)
        except (Refused, Unreachable):
            return lacking
        return (Problem(f"{self.cluster.system}: {self.cluster.owned(place, others)}", RELEASE),) if others else lacking

    async def set(self, target: int, request_id: str) -> None:  # noqa: ARG002 - an absolute number needs no key
        """Set the number if nobody changed it meanwhile, within the limits in the same object."""
        await self.cluster.swap(self.figures.field, lambda found: self._value(found, target), self.figures.manager)

    def _value(self, found: Body, target: int) -> object:
        figures, level = self.figures, self._level(found)
        least, most = self._least(found), self._runners(found, figures.maximum)
        head = f"{dotted(figures.field)} of {self.cluster.table.name} cannot go to {target:,}"
        if least is not None and target < least:
            raise Refused(f"{head}, below its {dotted(figures.minimum)} of {least:,}.")
        if most is not None and target > most:
            raise Refused(f"{head}: limited to {most:,} by its {dotted(figures.maximum)}.")
        known, value = at(found, figures.field), target * figures.per_runner
        if target == level:
            return known
        return str(value) if isinstance(known, str) else value

    def _level(self, found: Body) -> int:
        place, name = self.figures.field, self.cluster.table.name
        known = amount(found, place)
        if known is None and self.figures.absent is None:
            problem = f"{self.cluster.system}: {name} has no {dotted(place)}, or it is no number"
            raise Refused(problem, remedy=self.figures.unset)
        if known is not None and known % self.figures.per_runner:
            problem = f"{self.cluster.system}: {dotted(place)} of {name} is {known:,}, no multiple of per_runner"
            raise Refused(f"{problem} ({self.figures.per_runner:,})", remedy="make it one, or correct per_runner")
        return int((known or 0) // self.figures.per_runner)

    def _least(self, found: Body) -> int | None:
        return self._runners(found, self.figures.minimum) or 0 if self.figures.minimum else None

    def _runners(self, found: Body, path: Path) -> int | None:
        known = amount(found, path)
        return None if known is None else int(known // self.figures.per_runner)


def build(pool: str, place: str, raw: Mapping[str, object], context: BuildContext) -> tuple[ObjectScaler, ScalePolicy]:
    table = read(KubernetesTable, place, raw)
    base = f"/apis/{table.group}/{table.version}" if table.group else f"/api/{table.version}"
    inside = f"{base}/namespaces/{table.namespace}" if table.namespace else base
    path, what = f"{inside}/{table.resource}/{table.name}", table.resource
    figures = Figures(("spec", "replicas"), ("status", "replicas"), absent=0)
    if table.field:
        figures = Figures(
            path_of(table.field),
            path_of(table.current_field),
            path_of(table.min_field),
            path_of(table.max_field),
            table.per_runner,
            manager=f"tailback/{table.field}",
        )
    else:
        path, what = f"{path}/scale", f"{what}/scale"
    cluster = cluster_of(pool, place, table, context, path, f"get and patch on {what}")
    caution = FIELD_CAUTION if table.field else CAUTION
    return ObjectScaler(cluster, figures), replace(table.policy, caution=caution)
