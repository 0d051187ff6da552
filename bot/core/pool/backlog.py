"""Why jobs wait: the parts of a backlog, and what running and lost jobs tell of it."""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise
from operator import attrgetter
from typing import NamedTuple

from bot.core.pool.baseline import GAP_SECONDS, Baseline, mean, means
from bot.core.pool.pool import Snapshot

LEAD_SECONDS = 1800.0
"""The walk begins so long before the first late job arrived. Origin: judgement; causes work before jobs are late."""
WINDOW_SECONDS = 600.0
"""Over which a source averages rates that does not tell it; the change in busy runners is taken over it too.
Origin: that of most exporters (docs/reference/metrics.md)."""
SIGMA, WIDEST_SIGMA = 1.05, 2.0
"""Of the logarithm of job durations where it is unknown, and at most. Origin: in public traces the
mean is 1.5 to 1.8 times the median; at most is judgement, 7.4 times."""
ENOUGH_STEPS, ENOUGH_SAMPLES = 10, 4
"""Origin: ten minutes, over which rates are averaged, and half as many for sums."""
BY_CHANCE = 2.5
"""Standard deviations. Origin: 1 in 160 by chance."""
LOST, LOST_BY_CHANCE = 3, 1.5
"""Jobs, and standard deviations of their number. Origin: judgement; counts at both ends may be late by as many."""
TIME = attrgetter("at")


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


@dataclass(frozen=True, slots=True)
class Inferred:
    """What changed, where nobody counts jobs."""

    factor: Factor
    """More jobs, or longer ones."""
    times: float
    """So many times the usual."""
    minutes: float
    """Since when."""


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


def late_share(series: Sequence[Snapshot], steps: Sequence[Step], usual: Baseline) -> float | None:
    """Share of the running jobs that should have ended, given when jobs started and how long they usually take.

    Running jobs count as censored observations: what matters is how many of the started jobs still run. Rates are
    averages, so a rush of starts shows first in the busy runners: jobs beyond the fewest of lately are young.
    """
    now = series[-1]
    if not usual.duration or not now.busy or len(steps) < ENOUGH_STEPS:
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
    lately = series[bisect_left(series, now.at - (now.rate_seconds or WINDOW_SECONDS), key=TIME) :]
    excess = min(now.busy - expected, *(s.busy for s in lately if s.busy is not None))
    return max(0.0, excess / now.busy) if excess > BY_CHANCE * math.sqrt(expected + 1) else 0.0


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


def lost_share(series: Sequence[Snapshot], usual: Baseline) -> float | None:
    """Share of the jobs started since the trouble began that neither ended nor run: starts - completions - busy."""
    window = series[bisect_left(series, min(usual.since - LEAD_SECONDS, series[-1].at - 3600), key=TIME) :]
    known = [s for s in window if None not in (s.starts_per_minute, s.completions_per_minute, s.busy)]
    if len(known) < ENOUGH_SAMPLES:
        return None
    minutes = (known[-1].at - known[0].at) / 60
    starts, ends = (rate or 0.0 for rate in means(known, ("starts_per_minute", "completions_per_minute")))
    seconds = known[-1].rate_seconds or WINDOW_SECONDS
    first, last = (_busy_until(series, sample.at, seconds) for sample in (known[0], known[-1]))
    gone, begun = minutes * (starts - ends) - (last - first), minutes * starts
    return None if not begun else gone / begun if gone > LOST + LOST_BY_CHANCE * math.sqrt(begun) else 0.0


def _busy_until(series: Sequence[Snapshot], at: float, seconds: float) -> float:
    """Mean busy runners in the window over which the rates of that time were averaged."""
    since, until = bisect_left(series, at - seconds, key=TIME), bisect_right(series, at, key=TIME)
    return mean(series[since:until], "busy") or 0.0
