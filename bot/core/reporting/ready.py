"""Computes idle runners for hours in which a pool regularly grows too slowly."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import tzinfo

from bot.core.pool.hour_stats import HOUR_SECONDS, HourStats
from bot.core.reporting.recurrence import Pattern
from bot.core.reporting.sizing import demand_of, job_seconds, over_target
from bot.core.reporting.staffing import SHARE, StaffingMethod, Stretch, late_shares, least


@dataclass(frozen=True, slots=True)
class ReadyRunners:
    runners: int
    idle: int
    """Those of them beyond the mean busy runners of the hour before."""
    busy_most: int


def ready(
    window: Pattern, cells: Sequence[HourStats], target_seconds: float, zone: tzinfo, share: float = SHARE
) -> ReadyRunners | None:
    """Computed by queueing theory over the window's bad hours; None if figures are missing."""
    bad = [c for c in cells if window.holds(c.begins_at, zone) and over_target(c, target_seconds)]
    before = [c for c in cells if _just_before(c, window, zone) and c.busy.seconds > 0]
    job = job_seconds(bad)
    known = [demand for cell in bad if job and (demand := demand_of(cell, job)) is not None]
    if not before or not known or len(known) < len(bad):
        return None
    runners = least(late_shares([Stretch(tuple(known))], target_seconds, StaffingMethod.THEORY), 1 - share)
    busy = sum(c.busy.total / c.busy.seconds for c in before) / len(before)
    return ReadyRunners(runners, max(0, runners - round(busy)), max(c.busy_most or 0 for c in bad))


def _just_before(cell: HourStats, window: Pattern, zone: tzinfo) -> bool:
    after = cell.begins_at + HOUR_SECONDS
    return window.holds(after, zone) and not window.holds(cell.begins_at, zone)
