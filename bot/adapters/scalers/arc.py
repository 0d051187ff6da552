"""The `arc` scaler: maxRunners or minRunners of an Actions Runner Controller scale set, which has no `/scale`."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

from bot.adapters.build_context import Parts, read
from bot.adapters.scalers.cluster import Body, Cluster, ClusterTable, cluster_of, part_number
from bot.core.external import Problem
from bot.core.scaling.limits import ScalePolicy
from bot.core.words import count, listed
from bot.ports import Capacity, Refused

PLURAL = "autoscalingrunnersets"
CAUTION = (
    "A Helm or GitOps sync sets these numbers back. The change restarts the scale set's listener; running jobs go on."
)
CAUTION_MIN = f"The target is the number of idle runners kept ready on top of the assigned jobs. {CAUTION}"


class ArcTable(ClusterTable):
    """`[pool."NAME".scaler]` with `kind = "arc"`."""

    lever: Literal["max", "min"] = "max"
    """`max`: the limit, which helps when it is reached. `min`: idle runners, which help before jobs arrive."""


class ArcScaler:
    """minRunners and maxRunners of an AutoscalingRunnerSet; the controller runs min(minRunners + jobs, maxRunners).

    Raising the maximum helps only at the limit. Failed runners count until they are deleted
    (actions-runner-controller#3700).
    """

    def __init__(self, cluster: Cluster, lever: Literal["max", "min"]) -> None:
        self._cluster, self._lever = cluster, lever
        self._key = f"{lever}Runners"

    async def read(self) -> Capacity:
        """The configured number; with `max` also the number of runners, which says nothing with `min`."""
        found = await self._cluster.read()
        least, most, trouble = part_number(found, "spec", "minRunners"), _most(found), _trouble(found)
        if self._lever == "min":
            name = f"maxRunners of {self._cluster.table.name}"
            return Capacity(least or 0, maximum=most, limited_by=name, trouble=trouble)
        if most is None:
            raise Refused(
                f"{self._cluster.system}: {self._cluster.table.name} has no maxRunners, so no cap holds it back; "
                'set `lever = "min"` to keep idle runners ready instead.'
            )
        return Capacity(part_number(found, "status", "currentRunners"), least or 0, desired=most, trouble=trouble)

    async def lacking(self) -> tuple[Problem, ...] | None:
        """Missing permissions, according to the cluster."""
        return await self._cluster.lacking()

    async def set(self, target: int, request_id: str) -> None:  # noqa: ARG002 - an absolute number needs no key
        """Set the number if nobody changed it meanwhile; the maximum never goes below the idle runners."""
        await self._cluster.swap(self._number, target, lambda found: self._change(found, target))

    def _number(self, found: Body) -> int | None:
        number = part_number(found, "spec", self._key)
        return 0 if number is None and self._lever == "min" else number

    def _change(self, found: Body, target: int) -> Body:
        least, most = part_number(found, "spec", "minRunners") or 0, _most(found)
        name = self._cluster.table.name
        if self._lever == "max" and target < least:
            raise Refused(f"maxRunners of {name} cannot go to {target:,}, below its minRunners of {least:,}.")
        if self._lever == "min" and most is not None and target > most:
            raise Refused(f"minRunners of {name} cannot go to {target:,}: limited to {most:,} by its maxRunners.")
        return {self._key: target}


def build(pool: str, place: str, raw: Mapping[str, object], parts: Parts) -> tuple[ArcScaler, ScalePolicy]:
    """The scaler of one pool from its table; raises ConfigError with every problem."""
    table = read(ArcTable, place, raw)
    path = f"/apis/actions.github.com/v1alpha1/namespaces/{table.namespace}/{PLURAL}/{table.name}"
    cluster = cluster_of(pool, place, table, parts, path, f"get and patch on {PLURAL}")
    caution = CAUTION_MIN if table.lever == "min" else CAUTION
    return ArcScaler(cluster, table.lever), replace(table.policy, caution=caution)


def _most(found: Body) -> int | None:
    return part_number(found, "spec", "maxRunners")


def _trouble(found: Body) -> str:
    """Trouble of the scale set: failed runners count toward the limit; pending ones show that the cluster is full."""
    failed = part_number(found, "status", "failedEphemeralRunners") or 0
    pending = part_number(found, "status", "pendingEphemeralRunners") or 0
    if not failed:
        return ""
    words = [f"{count(failed, 'failed runner')}, counted until deleted", f"{pending:,} pending" if pending else ""]
    return listed([word for word in words if word])
