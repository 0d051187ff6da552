"""What a Prometheus knows: pools of the presets, and the machines below them."""

import re
from collections.abc import Awaitable, Callable, Mapping

from bot.adapters.prometheus.answers import Samples
from bot.adapters.prometheus.presets import PRESETS, RANDOM, Preset, quoted

SIGNS: Mapping[Preset, str] = {
    "ci": "ci_jobs_queued",
    "arc": "gha_assigned_jobs",
    "buildkite": "buildkite_queues_scheduled_jobs_count",
}
"""Preset: the metric that its `queued` reads. GitLab Runner exports no queue, so a pool of it needs a query."""
RANDOM_END = re.compile(f"{RANDOM[:-1]}$")
ALIKE_MACHINES = "count without (instance, nodename, release, version, machine, sysname, domainname) (node_uname_info)"
RUNNER_PODS = 'count by (namespace, created_by_name) (kube_pod_info{created_by_kind="EphemeralRunner"})'
Proposed = tuple[str, str, str, str]
"""(preset, pool, set of signals, machine_match); the last two are empty where nobody knows its machines."""


async def discovered(ask: Callable[[str], Awaitable[Samples]]) -> tuple[Proposed, ...]:
    """Each pool with a queue; `ask` gives the series of a query, and raises Unreachable."""
    found: dict[tuple[str, str], None] = {}
    for preset, metric in SIGNS.items():
        label = PRESETS[preset][0]
        series = await ask(f"sum by ({label}) ({metric})")
        names = sorted(one.labels[label] for one in series if one.labels.get(label))
        found |= dict.fromkeys((preset, RANDOM_END.sub("", name) if preset == "arc" else name) for name in names)
    machines = await ask(ALIKE_MACHINES) if found else ()
    pods = await ask(RUNNER_PODS) if any(preset == "arc" for preset, _ in found) else ()
    return tuple((preset, name, *_machines_of(name, machines, pods)) for preset, name in found)


def _machines_of(name: str, machines: Samples, pods: Samples) -> tuple[str, str]:
    """The set that knows the machines of a pool, and how they are found: a label of theirs is the pool's name."""
    for series in machines:
        label = next((label for label, value in series.labels.items() if value == name and label != "job"), "")
        if label and series.labels.get("job"):
            return "node_exporter", f"job={quoted(series.labels['job'])}, {label}={quoted(name)}"
    for series in pods:
        if series.labels.get("created_by_name", "").startswith(f"{name}-") and series.labels.get("namespace"):
            pattern = "-".join(re.escape(part) for part in name.split("-"))
            return "kubernetes", f"namespace={quoted(series.labels['namespace'])}, pod=~{quoted(f'{pattern}-.*')}"
    return "", ""
