"""The `arc` scaler: maxRunners or minRunners of an Actions Runner Controller scale set, which has no `/scale`.

The controller runs min(minRunners + jobs, maxRunners), so raising the maximum helps only at the limit. Failed runners
count until they are deleted (actions-runner-controller#3700).
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

from bot.adapters.build_context import BuildContext, read
from bot.adapters.scalers.cluster import Body, ClusterTable, Figures, KubernetesResource, Name, ObjectScaler, paused
from bot.adapters.scalers.quantity import amount, at
from bot.core.pool.outlook import Lever
from bot.core.scaling.limits import ScalePolicy
from bot.core.words import count, listed

SCALE_SETS = KubernetesResource("actions.github.com", "v1alpha1", "autoscalingrunnersets")
CAUTION = (
    "A Helm or GitOps sync sets these numbers back. The change restarts the scale set's listener; running jobs go on."
)
CAUTION_MIN = f"The target is the number of idle runners kept ready on top of the assigned jobs. {CAUTION}"
NO_CAP = 'no cap holds it back, so set `lever = "min"` to keep idle runners ready instead'
OUTDATED = "Outdated"
"""The phase of a scale set whose runners GitHub refuses as too old. Its numbers change nothing then, only its runners'
specification does (actions-runner-controller#4660)."""
LEAST, MOST = ("spec", "minRunners"), ("spec", "maxRunners")


class ArcTable(ClusterTable):
    namespace: Name
    lever: Literal["max", "min"] = "max"
    """`max`: the limit, which helps when it is reached. `min`: idle runners, which help before jobs arrive."""


def build(pool: str, place: str, raw: Mapping[str, object], context: BuildContext) -> tuple[ObjectScaler, ScalePolicy]:
    table = read(ArcTable, place, raw)
    if table.lever == "min":
        figures = Figures(LEAST, maximum=MOST, absent=0, trouble=_trouble, rests=_rests)
        caution, lever = CAUTION_MIN, Lever.SIZE
    else:
        there = ("status", "currentRunners")
        figures = Figures(MOST, there, LEAST, unset=NO_CAP, trouble=_trouble, rests=_rests)
        caution, lever = CAUTION, Lever.LIMIT
    return ObjectScaler(pool, place, table, context, SCALE_SETS, figures), replace(
        table.policy, caution=caution, lever=lever
    )


def _rests(found: Body) -> str:
    if at(found, ("status", "phase")) == OUTDATED:
        return "its runners are too old for GitHub (phase Outdated), so correct their image"
    return paused(found)


def _trouble(found: Body) -> str:
    """Trouble of the scale set: failed runners count toward the limit; pending ones show that the cluster is full."""
    failed, pending = (int(amount(found, ("status", f"{one}EphemeralRunners")) or 0) for one in ("failed", "pending"))
    if not failed:
        return ""
    words = [f"{count(failed, 'failed runner')}, counted until deleted", f"{pending:,} pending" if pending else ""]
    return listed([word for word in words if word])
