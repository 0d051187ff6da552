"""Attributes a backlog: sets one factor back to its usual value and walks the queue of the past hours again.

"Of 110 waiting jobs, 80 wait because the limit fell, 20 because more jobs came, 10 because jobs take longer." The past
is measured, so it needs no chance; its step is that of the walk ahead.
"""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate

from bot.core.forecast.model import RateSteps, lived_again
from bot.core.forecast.rates import LEAST_SAMPLES
from bot.core.pool.backlog import LEAD_SECONDS, TIME, Backlog, Factor, Step, late_share, lost_share, steps_of
from bot.core.pool.baseline import Baseline
from bot.core.pool.pool import Snapshot

PART_MINUTES = 15.0
"""Many jobs at once are looked for in times of this length. Origin: over as long, sources count launches."""
LONGER_BOOT = 1.5
"""So many times the usual machines may boot before they are too many. Origin: judgement; boots vary by half."""
LEAST_HUNG = 0.25
"""Share of the running jobs that should have ended, from which durations count as longer. Origin: judgement; some job
always runs for hours, a quarter of them does not."""
FULL, MOSTLY = 0.93, 0.7
"""Share of the limit with which a pool is full, and of the time in which it was. Origin: judgement; between two jobs a
place is empty, and most of the time is two thirds or more."""
MORE, DEVIATIONS, OF_A_PART = 1.2, 1.5, 4.0
"""Origin: a fifth more is an ordinary busy hour; 1 in 15 exceeds 1.5 deviations by chance, of the many parts of a
night one in 30,000 exceeds 4."""
IDLE, OFTEN = 0.9, 0.3
"""Share of the runners that work, and of the time in which fewer do. Origin: judgement; a tenth are between two jobs,
and a third of the time is no chance."""
ANY = (3, 5)
"""Times the busy runners, and more: as many as would leave no queue. Origin: judgement; nobody knows the limit."""


def attributed(series: Sequence[Snapshot], usual: Baseline) -> Backlog:
    """The backlog of the newest sample by factor."""
    if not series:
        return Backlog()
    now, known = series[-1], steps_of(series)
    late, lost = late_share(series, known, usual), lost_share(series, usual)
    if not now.queued or usual.arrivals is None:
        return Backlog(late=late, lost=lost)
    window = series[bisect_left(series, usual.since - LEAD_SECONDS, key=TIME) :]
    steps = known[bisect_right(known, window[0].at, key=TIME) :]
    if len(steps) < LEAST_SAMPLES:
        return Backlog(late=late, lost=lost)
    begun = next(s for s in window if s.queued is not None and s.busy is not None)
    start, restored = (float(begun.queued or 0), float(begun.busy or 0)), _restored(steps, usual, late)
    was = [(s.arrived, _pace(s), s.busy) for s in steps]
    whole, *without = lived_again(start, min(start[0], usual.arrivals), [was, *restored.values()])
    parts = {factor: max(0.0, whole - left) for factor, left in zip(restored, without, strict=True)}
    if Factor.UNKNOWN in parts:
        parts[Factor.UNKNOWN] = max(0.0, parts[Factor.UNKNOWN] - parts.get(Factor.SUPPLY, 0.0))
    full = [s for s in steps if s.limit and s.online + _boots(s, usual) >= FULL * s.limit]
    rest = max(0.0, now.queued - sum(parts.values()))
    if len(full) > MOSTLY * len(steps):
        parts[Factor.LIMIT] = parts.get(Factor.LIMIT, 0.0) + rest
    else:
        parts[Factor.UNKNOWN] = parts.get(Factor.UNKNOWN, 0.0) + rest
    return Backlog(_whole(parts, now.queued), late, lost)


def _pace(step: Step) -> float:
    """Jobs that one busy runner ends in the step."""
    if not step.busy:
        return 0.0
    pace = step.ended / step.busy
    return pace if pace < 1.0 else 1.0


def _restored(steps: Sequence[Step], usual: Baseline, late: float | None) -> dict[Factor, RateSteps]:
    """The rates of each factor that differs from the usual, with that factor restored."""
    found: dict[Factor, RateSteps] = {}
    rate = usual.high or 0.0
    if _more_came(steps, rate, usual.batches):
        found[Factor.ARRIVALS] = [(min(s.arrived, rate * s.minutes), _pace(s), max(s.busy, s.online)) for s in steps]
    if usual.duration and late is not None and late >= LEAST_HUNG:
        pace = 60 / usual.duration
        found[Factor.DURATION] = [(s.arrived, min(1.0, max(_pace(s), pace * s.minutes)), s.busy) for s in steps]
    if usual.limit is not None and any(s.limit is not None and s.limit < usual.limit - 0.5 for s in steps):
        more = [max(0.0, usual.limit - s.limit) if s.limit is not None else 0.0 for s in steps]
        found[Factor.LIMIT] = [(s.arrived, _pace_of(s, usual), s.busy + m) for s, m in zip(steps, more, strict=True)]
    away = usual.offline or 0.0
    if any(s.offline > away + 0.5 for s in steps):
        found[Factor.OFFLINE] = [(s.arrived, _pace_of(s, usual), s.busy + max(0.0, s.offline - away)) for s in steps]
    return {**found, **_more_runners(steps, usual)}


def _more_came(steps: Sequence[Step], rate: float, batches: float) -> bool:
    """Whether more jobs than usual came: over the whole time, or by far more than batches explain in a part of it."""
    came, minutes = [0.0, *accumulate(s.arrived for s in steps)], [0.0, *accumulate(s.minutes for s in steps)]

    def beyond(first: int, last: int, deviations: float) -> bool:
        jobs = rate * (minutes[last] - minutes[first])
        return came[last] - came[first] > MORE * jobs + deviations * math.sqrt(jobs * batches)

    parts = ((first, bisect_left(minutes, minutes[first] + PART_MINUTES)) for first in range(len(steps)))
    return beyond(0, -1, DEVIATIONS) or any(beyond(first, min(last, len(steps)), OF_A_PART) for first, last in parts)


def _more_runners(steps: Sequence[Step], usual: Baseline) -> dict[Factor, RateSteps]:
    """The runners that the pool might have had: up to its limit, or where nobody knows it, as many as it had before.

    Whether more than those were refused, or not allowed, cannot be told without the limit.
    """
    had, found = max(s.online for s in steps), dict[Factor, RateSteps]()
    most = [had if s.limit is None else s.limit - s.offline - _boots(s, usual) for s in steps]
    if sum(s.busy < IDLE * n for s, n in zip(steps, most, strict=True)) > OFTEN * len(steps):
        found[Factor.SUPPLY] = [
            (s.arrived, _pace_of(s, usual), max(s.busy, n)) for s, n in zip(steps, most, strict=True)
        ]
    if any(s.limit is None for s in steps):
        found[Factor.UNKNOWN] = [(s.arrived, _pace_of(s, usual), ANY[0] * s.busy + ANY[1]) for s in steps]
    return found


def _boots(step: Step, usual: Baseline) -> float:
    """The machines that boot in an ordinary step: by Little's law, as many as its jobs need."""
    per_minute = step.started / step.minutes if step.minutes else 0.0
    return min(step.booting, LONGER_BOOT * (usual.boots or 0.0) * per_minute)


def _pace_of(step: Step, usual: Baseline) -> float:
    """The pace of a step; the usual one where hardly a runner worked."""
    if step.busy >= 1 or not usual.duration:
        return _pace(step)
    return min(1.0, 60 * step.minutes / usual.duration)


def _whole(parts: Mapping[Factor, float], queued: int) -> dict[Factor, int]:
    """The parts as whole jobs that add up to the queue, the largest first."""
    total = sum(parts.values())
    if total <= 0:
        return {Factor.UNKNOWN: queued}
    exact = {factor: jobs * queued / total for factor, jobs in parts.items() if jobs > 0}
    found = {factor: int(jobs) for factor, jobs in exact.items()}
    for factor in sorted(exact, key=lambda f: found[f] - exact[f])[: queued - sum(found.values())]:
        found[factor] += 1
    return {factor: jobs for factor, jobs in sorted(found.items(), key=lambda item: -item[1]) if jobs}
