"""Finds the pools that a Prometheus knows, by the metrics of the presets."""

import re
from collections.abc import Mapping

from bot.adapters.metrics.prometheus import Prometheus
from bot.adapters.metrics.prometheus_presets import PRESETS, RANDOM, Preset

SIGNS: Mapping[Preset, str] = {
    "ci": "ci_jobs_queued",
    "arc": "gha_assigned_jobs",
    "buildkite": "buildkite_queues_scheduled_jobs_count",
}
"""Preset: the metric that its `queued` reads. GitLab Runner exports no queue, so a pool of it needs a query."""
_RANDOM = re.compile(f"{RANDOM[:-1]}$")


async def discovered(source: Prometheus) -> tuple[tuple[str, str], ...]:
    """(preset, pool) for each pool with a queue; raises Unreachable if Prometheus does not answer."""
    found: dict[tuple[str, str], None] = {}
    for preset, metric in SIGNS.items():
        label = PRESETS[preset][0]
        series = await source.series(f"sum by ({label}) ({metric})")
        names = sorted(one.labels[label] for one in series if one.labels.get(label))
        found |= dict.fromkeys((preset, _RANDOM.sub("", name) if preset == "arc" else name) for name in names)
    return tuple(found)
