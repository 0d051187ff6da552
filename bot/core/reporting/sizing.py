"""Computes the limit that keeps a pool's wait under a target, from its recorded hours; or why there is none."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from statistics import median

from bot.core.pool.baseline import MEAN_OVER_MEDIAN
from bot.core.pool.hour_stats import HOUR_SECONDS, Amount, HourStats
from bot.core.reporting.staffing import SHARE, Demand, Stretch, fewest_runners, late_shares
from bot.core.statement import Statement, statement

LEAST_KNOWN_SECONDS = 1800.0
"""Minimum measured time of an hour; the rest of the hour is assumed to be the same."""
WINDOW_MINUTES = 10.0
"""Over which sources average rates."""
LEAST_HOURS = 12
"""Fewer hours do not show batches and the spread of job times."""
MOST_BATCH, MOST_TAIL = 50.0, 3.0
BOUND = 0.6
"""The limit is the constraint if at least this share of it works while jobs wait; otherwise it is something else."""
QUEUED_ALL_THE_TIME = 0.05
"""If the queue was empty for at most this share of an hour, all runners were needed."""


@dataclass(frozen=True, slots=True)
class NeededLimit:
    """The limit needed in the hours over the target."""

    limit: int
    runners: int
    """The fewest that meet the target."""
    late_share: float
    """Share of the jobs, 0 to 1, that would still wait longer than the target."""
    late_now: float
    """The same with the present limit."""
    jobs: int
    hours: int
    hold_seconds: float


def over_target(cell: HourStats, target_seconds: float) -> bool:
    return (cell.longest_wait_seconds or 0.0) > target_seconds


def needed_limit(  # noqa: PLR0911 - one return for each reason
    cells: Sequence[HourStats], target_seconds: float
) -> NeededLimit | Statement:
    """The fewest runners for the hours over the target, or why there is no number."""
    bad = [cell for cell in cells if over_target(cell, target_seconds)]
    if not bad:
        return statement("nobody_waited", seconds=target_seconds)
    limits, job, full = [cell.limit for cell in cells if cell.limit is not None], job_seconds(bad), _fullness(bad)
    if not limits:
        return statement("limit_unknown")
    if job is None:
        return statement("durations_unknown")
    if full is None:
        return statement("busy_unknown")
    if full < BOUND:
        return statement("limit_not_binding", share=full)
    limit, hold = limits[-1], job / full
    inside = target_seconds - (hold - job)
    if inside <= 0:
        return statement("boot_too_long", seconds=hold - job)
    stretches = [stretch_of(run, cells, hold) for run in runs_of(bad)]
    known = [one for one in stretches if one is not None]
    if len(known) < len(stretches):
        return statement("arrivals_unknown", unknown=len(stretches) - len(known), stretches=len(stretches))
    runners, late = fewest_runners(known, inside), late_shares(known, inside)
    late_now = late(limit)
    if runners <= limit or late_now <= 1 - SHARE:
        return statement("would_do", limit=limit)
    jobs, hours = round(sum(one.arrivals for one in known)), sum(len(one.judged_hours) for one in known)
    return NeededLimit(limit, runners, late(runners), late_now, jobs, hours, hold)


def job_seconds(cells: Sequence[HourStats]) -> float | None:
    """Mean run time of a job: by Little's law from busy runners and completions, else from the durations."""
    busy, done = _mean([c.busy for c in cells]), _mean([c.completions for c in cells])
    if busy and done:
        return busy / done
    middle = _mean([cell.duration for cell in cells])
    return middle * MEAN_OVER_MEDIAN if middle else None


def _mean(amounts: Sequence[Amount]) -> float | None:
    seconds = sum(amount.seconds for amount in amounts)
    return sum(amount.total for amount in amounts) / seconds if seconds > 0 else None


def _fullness(cells: Sequence[HourStats]) -> float | None:
    """Share of the limit that worked while jobs waited all the time; else the highest share seen."""
    known = [c for c in cells if c.limit and c.busy.seconds > 0]
    steady = [c for c in known if c.sizes and c.sizes[0] <= QUEUED_ALL_THE_TIME * sum(c.sizes)]
    if steady:
        shares = [c.busy.total / c.busy.seconds / (c.limit or 1) for c in steady]
        return min(1.0, sum(shares) / len(shares))
    most = [(c.busy_most or 0) / (c.limit or 1) for c in known]
    return min(1.0, max(most)) if most else None


def runs_of(cells: Sequence[HourStats]) -> list[list[HourStats]]:
    ordered = enumerate(sorted(cells, key=lambda one: one.hour))
    return [[cell for _, cell in run] for _, run in groupby(ordered, key=lambda item: item[1].hour - item[0])]


def shape_of(cells: Sequence[HourStats]) -> tuple[float, float]:
    """(mean size of a batch, mean over median of the job times), as recorded; the usual ones where unknown.

    For batches of geometric size, the variance of the jobs in a window over their mean is twice the size less 1. The
    median of the hours counts, because a single one may rise or fall.
    """
    known = [cell for cell in cells if cell.squares.seconds >= LEAST_KNOWN_SECONDS and cell.arrivals.total > 0]
    means = [60 * cell.arrivals.total / cell.arrivals.seconds for cell in known]  # arrivals per minute
    variances = [cell.squares.total / cell.squares.seconds - mean**2 for cell, mean in zip(known, means, strict=True)]
    uneven = [WINDOW_MINUTES * max(0.0, one) / mean for one, mean in zip(variances, means, strict=True)]
    batch = (1 + median(uneven)) / 2 if len(uneven) >= LEAST_HOURS else 1.0
    busy, done, middle = (_mean([getattr(c, name) for c in cells]) for name in ("busy", "completions", "duration"))
    tail = busy / done / middle if busy and done and middle and len(cells) >= LEAST_HOURS else MEAN_OVER_MEDIAN
    return min(MOST_BATCH, max(1.0, batch)), min(MOST_TAIL, max(1.01, tail))


def stretch_of(run: Sequence[HourStats], cells: Sequence[HourStats], hold: float) -> Stretch | None:
    """The hours' work, with the hour before as lead if it is known; None if an hour's arrivals are unknown."""
    before = next((cell for cell in cells if cell.hour == run[0].hour - 1), None)
    lead = _demand_of(before, hold) if before else None
    batch, tail = shape_of(cells)
    own = [_demand_of(cell, hold) for cell in run]
    known = [demand for demand in own if demand is not None]
    if len(known) < len(own):
        return None
    hours = [replace(one, batch=batch, mean_over_median=tail) for one in ((lead, *known) if lead else known)]
    return Stretch(tuple(hours), 1 if lead else 0)


def _demand_of(cell: HourStats, hold: float) -> Demand | None:
    """The work of an hour whose jobs occupy a runner for `hold` seconds; None if its arrivals are unknown."""
    if cell.arrivals.seconds < LEAST_KNOWN_SECONDS:
        return None
    return Demand(cell.begins_at, cell.arrivals.total * HOUR_SECONDS / cell.arrivals.seconds, hold)
