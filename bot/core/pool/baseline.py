"""What is usual for a pool: one baseline for all rules, from the time before the trouble began."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter

from bot.core.pool.hour_stats import HOUR_SECONDS, DayStats, ExpectedHour
from bot.core.pool.pool import Snapshot

GAP_SECONDS = 600.0
"""A sample stands for the time since the one before, up to this. Origin: sources average over ten minutes."""
BEFORE_SECONDS = 1800.0
"""The baseline ends so long before the first late job arrived. Origin: judgement; causes work before jobs are late."""
LEAST_SECONDS = 2700.0
"""A baseline shorter than this says nothing about rates. Origin: judgement; four and a half windows of ten minutes."""
LIVE_SECONDS = 12 * 3600.0
"""A longer wait is no sign of when the trouble began. Origin: judgement; a job forgotten over night."""
MEAN_OVER_MEDIAN = 1.6
"""Of job durations, where only a median is known. Origin: public traces have 1.5 to 1.8."""
DEVIATION = 1.4
"""Of job durations, as a multiple of their mean. Origin: of lognormal ones with a mean of 1.7 medians."""
FIGURES = ("arrivals_per_minute", "completions_per_minute", "booting", "busy")
"""Whose mean over the time before the trouble is usual."""
ENOUGH_JOBS = 5.0
"""So many jobs tell how long they take, or how many machines are launched for them. Origin: judgement; their mean is
then known to two thirds."""
BATCHES = 6.0
"""Variance over mean of the jobs that arrive in ten minutes, where it cannot be measured. Origin: batches of 4 in
public traces; of geometric size they make 7, and fewer where windows cut them."""
QUARTER = 0.25
"""Origin: trouble may begin hours before jobs wait for it, so the better quarter of the samples is usual."""
LEAST_SAMPLES, OLDER_SECONDS = 3, 1200.0
"""Origin: a middle of two is none; two windows of ten minutes ago the trouble had not changed rates."""
COUNTED_MINUTES = 15.0
"""Origin: over which sources count launches and registrations (docs/reference/metrics.md)."""
LEAST_WINDOWS = 8
"""Origin: a variance of fewer than eight is known to a half only."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """The baseline of a pool; a figure is None when it is unknown."""

    since: float = 0.0
    """When the trouble began: the arrival of the first job that waited too long (epoch seconds)."""
    arrivals: float | None = None
    """Jobs per minute at this hour."""
    weeks: int = 0
    """Past weeks behind `arrivals`; 0: it is of earlier days, or the mean of the last day or of the hours before."""
    most: float | None = None
    """Jobs per minute in the busiest hours of the last day."""
    high: float | None = None
    """Jobs per minute that are still ordinary: the mean of the hour, without known weeks that of the busiest hours."""
    duration: float | None = None
    """Mean seconds of a job."""
    doubt: float = 0.0
    """Share by which chance may have made `duration` shorter: few jobs ended, or few pushes, whose jobs are alike."""
    p50: float | None = None
    """Median seconds of a job."""
    offline: float | None = None
    limit: float | None = None
    """Of the better quarter of the samples: trouble may begin hours before jobs wait for it."""
    busy: float | None = None
    launches: float | None = None
    """Machines created per job; None where nobody counted them before the trouble."""
    boots: float | None = None
    """Minutes in which a machine boots, per job: by Little's law the launches per job times the boot time."""
    batches: float = BATCHES
    """Variance over mean of the jobs that arrive in ten minutes."""
    known: bool = False
    """Whether the same hour of an earlier day or week is behind `arrivals`: a usual that is usual."""

    def launched(self, boot_minutes: float) -> float | None:
        """Machines created per job; where nobody counted them, by Little's law from those that boot.

        By that law one at most: no job needs more, so what boots beyond it takes longer to boot than configured.
        """
        counted = self.launches is not None or self.boots is None
        return self.launches if counted else min(1.0, (self.boots or 0.0) / boot_minutes)


def baseline_of(
    series: Sequence[Snapshot], normal_wait: float, ahead: Sequence[ExpectedHour] = (), day: DayStats | None = None
) -> Baseline:
    """The baseline from the samples before the trouble, the pool's past weeks and its last day."""
    if not series:
        return Baseline()
    now = series[-1]
    since = began_at(series, normal_wait)
    before = [s for s in series if s.at < since - BEFORE_SECONDS]
    known = before if _length(before) >= LEAST_SECONDS else []
    came, ended, booting, busy = means(known, FIGURES)
    arrivals, weeks = _arrivals(now, came, ahead, day)
    own, batches, most = little(known), batches_of(known), day.most_per_minute if day else None
    given = now.usual_duration_seconds * MEAN_OVER_MEDIAN if now.usual_duration_seconds else None
    jobs = (ended or 0.0) * _length(known) / 60
    older = before if len(before) >= LEAST_SAMPLES else [s for s in series if s.at < now.at - OLDER_SECONDS]
    return Baseline(
        since,
        arrivals,
        weeks,
        most,
        arrivals if weeks or arrivals is None else max(arrivals, most or 0.0),
        min((one for one in (own, day.duration_seconds if day else None) if one), default=given),
        DEVIATION / math.sqrt(max(1.0, jobs / batches)) if own else 0.0,
        now.usual_duration_seconds or middle(known, "duration_p50_seconds"),
        middle(older, "offline", QUARTER),
        middle(older, "limit", 1 - QUARTER),
        busy,
        _launches(known),
        booting / came if came and booting is not None else None,
        batches,
        any(one.hour == int(now.at // HOUR_SECONDS) for one in ahead),
    )


def began_at(series: Sequence[Snapshot], normal_wait: float) -> float:
    """When the first job of the present backlog arrived; the newest sample's time if no job is late."""
    since = series[-1].at
    for sample in reversed(series):
        wait = sample.oldest_wait_seconds
        if sample.queued is None:
            continue
        if not sample.queued or (wait is not None and wait <= normal_wait):
            break
        since = min(since, sample.at - (wait if wait is not None and wait < LIVE_SECONDS else 0.0))
    return since


def first_hour(series: Sequence[Snapshot], normal_wait: float) -> int:
    """The first hour since the epoch that the present trouble may have changed; the hours before show what is usual."""
    since = began_at(series, normal_wait)
    return int((since - (BEFORE_SECONDS if since < series[-1].at else 0.0)) // HOUR_SECONDS)


def _arrivals(
    now: Snapshot, seen: float | None, ahead: Sequence[ExpectedHour], day: DayStats | None
) -> tuple[float | None, int]:
    """(usual arrivals per minute, weeks behind them)."""
    hour = int(now.at // HOUR_SECONDS)
    if ours := next((one for one in ahead if one.hour == hour), None):
        return ours.arrivals_per_minute, ours.weeks
    rates = [rate for rate in (seen, day.arrivals_per_minute if day else None) if rate is not None]
    return (max(rates) if rates else now.usual_arrivals_per_minute), 0


def little(samples: Sequence[Snapshot]) -> float | None:
    """Mean seconds of a job: busy runners divided by completions; None from too few jobs."""
    both = [s for s in samples if s.busy is not None and s.completions_per_minute is not None]
    busy, ended = means(both, ("busy", "completions_per_minute"))
    if not busy or not ended or ended * _length(both) / 60 < ENOUGH_JOBS:
        return None
    return 60 * busy / ended


def _launches(samples: Sequence[Snapshot]) -> float | None:
    """Machines created per job, while somebody counted both."""
    both = [s for s in samples if s.creates is not None and s.arrivals_per_minute is not None]
    created, came = means(both, ("creates", "arrivals_per_minute"))
    return (
        created / COUNTED_MINUTES / came
        if created is not None and came and came * _length(both) / 60 >= ENOUGH_JOBS
        else None
    )


def weights(samples: Sequence[Snapshot]) -> list[float]:
    """The seconds for which each sample stands."""
    times = [sample.at for sample in samples]
    gaps = [gap if (gap := b - a) < GAP_SECONDS else GAP_SECONDS for a, b in pairwise(times)]
    return [gaps[0] if gaps else 1.0, *gaps]


def mean(samples: Sequence[Snapshot], figure: str) -> float | None:
    """The mean of a figure over time; None if it is unknown."""
    return means(samples, (figure,))[0]


def means(samples: Sequence[Snapshot], figures: Sequence[str]) -> list[float | None]:
    """The mean of each figure over time; None if it is unknown."""
    seconds = weights(samples)
    return [_mean(map(attrgetter(figure), samples), seconds) for figure in figures]


def _mean(values: Iterable[float | None], seconds: Sequence[float]) -> float | None:
    weighed = total = 0.0
    for value, weight in zip(values, seconds, strict=False):
        if value is not None:
            weighed += value * weight
            total += weight
    return weighed / total if total else None


def middle(samples: Iterable[Snapshot], figure: str, share: float = 0.5) -> float | None:
    """The value of a figure that this share of the samples does not exceed; None if fewer than three know it."""
    known = sorted(v for s in samples if (v := getattr(s, figure)) is not None)
    return float(known[round(share * (len(known) - 1))]) if len(known) >= LEAST_SAMPLES else None


def _length(samples: Sequence[Snapshot]) -> float:
    return samples[-1].at - samples[0].at if samples else 0.0


def batches_of(known: Sequence[Snapshot]) -> float:
    """Variance over mean of the jobs in the window of the source's rates, from samples that far apart."""
    counts: list[float] = []
    last, seconds = -math.inf, next((s.rate_seconds for s in reversed(known) if s.rate_seconds), GAP_SECONDS)
    for sample in known:
        if sample.arrivals_per_minute is not None and sample.at - last >= seconds - 1:
            counts.append(seconds / 60 * sample.arrivals_per_minute)
            last = sample.at
    average = sum(counts) / len(counts) if counts else 0.0
    if len(counts) < LEAST_WINDOWS or not average:
        return BATCHES
    return max(1.0, sum((n - average) ** 2 for n in counts) / (len(counts) - 1) / average)
