"""Attributes a backlog: restores one factor at a time to its usual value and walks the queue forward.

"Of 110 waiting jobs, 80 wait because the limit fell, 20 because more jobs came, 10 because jobs take longer."
"""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import accumulate, pairwise
from operator import attrgetter
from typing import NamedTuple

from bot.core.pool.baseline import GAP_SECONDS, Baseline, mean, means
from bot.core.pool.pool import Snapshot

LEAD_SECONDS = 1800.0
"""The walk begins so long before the first late job arrived."""
WINDOW_SECONDS = 600.0
"""Sources average rates over this time, so the change in busy runners is taken over it too."""
SIGMA, WIDEST_SIGMA = 1.05, 2.0
"""Of the logarithm of job durations where it is unknown, and at most; the mean is 1.7 and 7.4 times the median."""
PART_MINUTES = 15.0
"""Many jobs at once are looked for in times of this length."""
LONGER_BOOT = 1.5
"""So many times the usual machines may boot before they are too many."""
TIME = attrgetter("at")
LEAST_HUNG = 0.25
"""Share of the running jobs that should have ended, from which durations count as longer."""


class Factor(StrEnum):
    """Why jobs wait."""

    ARRIVALS = "arrivals"
    DURATION = "duration"
    LIMIT = "limit"
    OFFLINE = "offline"
    SUPPLY = "supply"
    """Machines that do not come, do not register or are not given jobs."""
    UNKNOWN = "unknown"


class Step(NamedTuple):
    """The pool between two samples; counts are jobs in that time."""

    at: float
    """Its end, in epoch seconds."""
    minutes: float
    arrived: float
    ended: float
    started: float
    busy: float
    online: float
    limit: float | None
    offline: float
    booting: float


@dataclass(frozen=True, slots=True)
class Backlog:
    """The waiting jobs by factor; the parts add up to the queue."""

    parts: Mapping[Factor, int] = field(default_factory=dict)
    """Empty when the figures do not carry an attribution."""
    late: float | None = None
    """Share of the running jobs that should have ended by now; None: unknown."""
    lost: float | None = None
    """Share of the started jobs whose runner went away before they ended; None: unknown."""

    def share(self, factor: Factor) -> float | None:
        """A factor's share of the queue; None without an attribution."""
        total = sum(self.parts.values())
        return self.parts.get(factor, 0) / total if total else None


def steps_of(series: Sequence[Snapshot]) -> list[Step]:
    """The steps between samples in which the flow of jobs is known; one missing rate follows from the others."""
    found = []
    for before, now in pairwise(series):
        busy, queued = now.busy, now.queued
        if busy is None or before.busy is None or queued is None or before.queued is None:
            continue
        seconds, more_busy, more_queued = now.at - before.at, busy - before.busy, queued - before.queued
        minutes = (seconds if seconds < GAP_SECONDS else GAP_SECONDS) / 60
        arrived, started, ended = now.arrivals_per_minute, now.starts_per_minute, now.completions_per_minute
        arrived = None if arrived is None else arrived * minutes
        ended = None if ended is None else ended * minutes
        if started is not None:
            started *= minutes
        elif ended is not None:
            started = ended + more_busy
        elif arrived is not None:
            started = arrived - more_queued
        else:
            continue
        started = _positive(started)
        ended = _positive(started - more_busy) if ended is None else ended
        arrived = _positive(started + more_queued) if arrived is None else arrived
        online = busy + (now.idle or 0)
        others = now.offline or 0, now.booting or 0
        found.append(Step(now.at, minutes, arrived, ended, started, busy, online, now.limit, *others))
    return found


def _positive(jobs: float) -> float:
    return jobs if jobs > 0.0 else 0.0


def attributed(series: Sequence[Snapshot], usual: Baseline) -> Backlog:
    """The backlog of the newest sample by factor."""
    if not series:
        return Backlog()
    now, known = series[-1], steps_of(series)
    late, lost = _late(series, known, usual), _lost(series, usual)
    if not now.queued or usual.arrivals is None:
        return Backlog(late=late, lost=lost)
    window = series[bisect_left(series, usual.since - LEAD_SECONDS, key=TIME) :]
    steps = known[bisect_right(known, window[0].at, key=TIME) :]
    if len(steps) < 3:
        return Backlog(late=late, lost=lost)
    begun = next(s for s in window if s.queued is not None and s.busy is not None)
    start = float(begun.queued or 0), float(begun.busy or 0)
    whole = _walk(start, [(s.arrived, _pace(s), s.busy) for s in steps])
    parts: dict[Factor, float] = {}
    for factor, rates in _restored(steps, usual, late).items():
        parts[factor] = max(0.0, whole - _walk(start, rates, quiet=min(start[0], usual.arrivals)))
    if Factor.UNKNOWN in parts:
        parts[Factor.UNKNOWN] = max(0.0, parts[Factor.UNKNOWN] - parts.get(Factor.SUPPLY, 0.0))
    full = [s for s in steps if s.limit and s.online + _boots(s, usual) >= 0.93 * s.limit]
    rest = max(0.0, now.queued - sum(parts.values()))
    if len(full) > 0.7 * len(steps):
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


RateSteps = list[tuple[float, float, float]]
"""(jobs that arrive, jobs that one runner ends, runners) in each step."""


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
        return came[last] - came[first] > 1.2 * jobs + deviations * math.sqrt(jobs * batches)

    parts = ((first, bisect_left(minutes, minutes[first] + PART_MINUTES)) for first in range(len(steps)))
    return beyond(0, -1, 1.5) or any(beyond(first, min(last, len(steps)), 4.0) for first, last in parts)


def _more_runners(steps: Sequence[Step], usual: Baseline) -> dict[Factor, RateSteps]:
    """The runners that the pool might have had: up to its limit, or where nobody knows it, as many as it had before.

    Whether more than those were refused, or not allowed, cannot be told without the limit.
    """
    had, found = max(s.online for s in steps), dict[Factor, RateSteps]()
    most = [had if s.limit is None else s.limit - s.offline - _boots(s, usual) for s in steps]
    if sum(s.busy < 0.9 * n for s, n in zip(steps, most, strict=True)) > 0.3 * len(steps):
        found[Factor.SUPPLY] = [
            (s.arrived, _pace_of(s, usual), max(s.busy, n)) for s, n in zip(steps, most, strict=True)
        ]
    if any(s.limit is None for s in steps):
        found[Factor.UNKNOWN] = [(s.arrived, _pace_of(s, usual), 3 * s.busy + 5) for s in steps]
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


def _walk(start: tuple[float, float], rates: RateSteps, quiet: float | None = None) -> float:
    """The queue at the end."""
    queued, busy = start if quiet is None else (quiet, start[1])
    for arrived, pace, runners in rates:
        system = queued + busy + arrived
        busy = runners if runners > 0.0 else 0.0
        busy = system if system < busy else busy
        system -= pace * busy
        busy = system if system < busy else busy
        queued = system - busy
    return queued


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


def _late(series: Sequence[Snapshot], steps: Sequence[Step], usual: Baseline) -> float | None:
    """Share of the running jobs that should have ended, given when jobs started and how long they usually take.

    Running jobs count as censored observations: what matters is how many of the started jobs still run. Rates are
    averages, so a rush of starts shows first in the busy runners: jobs beyond the fewest of lately are young.
    """
    now = series[-1]
    if not usual.duration or not now.busy or len(steps) < 10:
        return None
    spread, average = _spread(usual.duration, usual.p50), usual.duration * (1 + usual.doubt)
    expected, age = 0.0, 0.0
    half, root = spread**2 / 2, math.sqrt(2)
    for step in reversed(steps):
        seconds, started = 60 * (age + step.minutes / 2), step.started
        above = (math.log((seconds if seconds > 1.0 else 1.0) / average) + half) / spread
        expected += started * (0.5 * math.erfc(above / root))
        age += step.minutes
    first = next((s.busy for s in series if s.busy is not None), 0) or 0
    expected += first * _still_longer(60 * age, average, spread)
    lately = series[bisect_left(series, now.at - WINDOW_SECONDS, key=TIME) :]
    excess = min(now.busy - expected, *(s.busy for s in lately if s.busy is not None))
    return max(0.0, excess / now.busy) if excess > 2.5 * math.sqrt(expected + 1) else 0.0


def _spread(average: float, median: float | None) -> float:
    """Sigma of durations with this mean and median: a pool of short and long jobs has old ones without any hanging."""
    if not median:
        return SIGMA
    return max(SIGMA, min(WIDEST_SIGMA, math.sqrt(2 * math.log(max(1.0, average / median)))))


def _still_longer(seconds: float, average: float, sigma: float) -> float:
    """The probability that a job that runs already runs longer, for lognormal durations with this mean.

    Long jobs are found running more often than short ones.
    """
    log, half = math.log(max(seconds, 1.0) / average), sigma**2 / 2
    found, new = (0.5 * math.erfc(above / sigma / math.sqrt(2)) for above in (log - half, log + half))
    return max(0.0, found - seconds / average * new)


def _lost(series: Sequence[Snapshot], usual: Baseline) -> float | None:
    """Share of the jobs started since the trouble began that neither ended nor run: starts - completions - busy."""
    window = series[bisect_left(series, min(usual.since - LEAD_SECONDS, series[-1].at - 3600), key=TIME) :]
    known = [s for s in window if None not in (s.starts_per_minute, s.completions_per_minute, s.busy)]
    if len(known) < 4:
        return None
    minutes = (known[-1].at - known[0].at) / 60
    starts, ends = (rate or 0.0 for rate in means(known, ("starts_per_minute", "completions_per_minute")))
    first, last = (_busy_until(series, sample.at) for sample in (known[0], known[-1]))
    gone, begun = minutes * (starts - ends) - (last - first), minutes * starts
    return None if not begun else gone / begun if gone > 3 + 1.5 * math.sqrt(begun) else 0.0


def _busy_until(series: Sequence[Snapshot], at: float) -> float:
    """Mean busy runners in the window over which the rates of that time were averaged."""
    since, until = bisect_left(series, at - WINDOW_SECONDS, key=TIME), bisect_right(series, at, key=TIME)
    return mean(series[since:until], "busy") or 0.0
