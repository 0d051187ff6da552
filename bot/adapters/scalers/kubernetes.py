"""The `kubernetes` scaler: replicas of a scale subresource, or any numeric field of any object."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Self

from pydantic import Field, StringConstraints, model_validator

from bot.adapters.build_context import BuildContext, read
from bot.adapters.scalers.cluster import ClusterTable, Figures, KubernetesResource, Name, ObjectScaler
from bot.adapters.scalers.quantity import Dotted, path_of
from bot.config import WrongSetting
from bot.core.pool.outlook import Lever
from bot.core.scaling.limits import ScalePolicy

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


def build(pool: str, place: str, raw: Mapping[str, object], context: BuildContext) -> tuple[ObjectScaler, ScalePolicy]:
    table = read(KubernetesTable, place, raw)
    resource = KubernetesResource(table.group, table.version, table.resource, "" if table.field else "scale")
    figures = Figures(("spec", "replicas"), ("status", "replicas"), absent=0)
    if table.field:
        limits = path_of(table.current_field), path_of(table.min_field), path_of(table.max_field)
        figures = Figures(path_of(table.field), *limits, table.per_runner, manager=f"tailback/{table.field}")
    most = any(word in table.field.lower() for word in ("max", "limit"))
    caution, lever = FIELD_CAUTION if table.field else CAUTION, Lever.LIMIT if most else Lever.SIZE
    policy = replace(table.policy, caution=caution, lever=lever)
    return ObjectScaler(pool, place, table, context, resource, figures), policy
