"""The measured frequency with which each rule is right when it comes first, and the confidence made of it.

`python -m tests.bench.earned` writes the table, from the suite `tune` of the job-level fleet (`tests/bench/jobfleet`).
"""

from collections.abc import Mapping
from itertools import pairwise

from bot.core.finding import HIGH, Finding

KNOTS = (0.5, 0.65, 0.8, 0.95)
"""A rule's own weights; the table has the measured frequency at each, and between them it is interpolated."""
CAPPED = HIGH - 0.01
"""The most that a cause gets while a figure that would reveal a rival is missing."""
LEAST = 0.3
"""A first cause that is right less often is not named: unknown is an answer."""

# begin of the table
# python -m tests.bench.earned 10: suite tune, judged at the alert, 15 and 45 min after it
EARNED: Mapping[str, tuple[float, ...]] = {
    "cloud_down": (0.5, 0.65, 0.8, 0.99),
    "failed_fill": (0.5, 0.5, 0.72, 0.94),
    "flood": (0.5, 0.61, 0.75, 0.97),
    "hung": (0.42, 0.9, 0.98, 1.0),
    "image": (0.5, 0.65, 0.8, 0.98),
    "limit": (0.49, 0.72, 0.96, 0.99),
    "lost_events": (0.47, 0.72, 0.76, 0.76),
    "no_runner": (0.39, 0.4, 0.8, 0.95),
    "offline": (0.5, 0.65, 0.8, 1.0),
    "permission": (0.5, 0.65, 0.8, 0.98),
    "provider": (0.5, 0.65, 0.96, 0.98),
    "quota": (0.5, 0.65, 0.82, 0.98),
    "refused": (0.5, 0.65, 0.88, 0.95),
    "runners_die": (0.5, 0.65, 0.8, 0.99),
    "slow_boot": (0.5, 0.65, 0.92, 0.98),
    "stale_rows": (0.5, 0.65, 0.93, 0.99),
    "stockout": (0.5, 0.65, 0.8, 0.99),
    "surge": (0.39, 0.46, 0.73, 0.97),
    "throttled_api": (0.5, 0.65, 0.92, 0.97),
    "throttled_cloud": (0.5, 0.65, 0.8, 0.98),
    "too_few": (0.5, 0.72, 0.82, 0.95),
    "unassigned": (0.5, 0.93, 0.93, 0.95),
    "unknown_label": (0.5, 0.65, 0.9, 0.98),
    "unregistered": (0.5, 0.65, 0.94, 0.99),
}
# end of the table
"""Cause → the frequencies at KNOTS, smoothed with five cases of the rule's own weight and never falling."""


def earned(found: Finding, *, rivals_known: bool, table: Mapping[str, tuple[float, ...]] = EARNED) -> float:
    """The confidence of a first cause; a cause that was not measured keeps its own weight."""
    measured = weight = found.confidence
    if frequencies := table.get(found.cause):
        points = pairwise(((0.0, 0.0), *zip(KNOTS, frequencies, strict=True)))
        between = (a + (b - a) * (weight - low) / (high - low) for (low, a), (high, b) in points if weight <= high)
        measured = next(between, frequencies[-1])
    return measured if rivals_known else min(measured, CAPPED)
