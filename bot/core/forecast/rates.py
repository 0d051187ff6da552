"""Reads rates from a queue's samples: arrivals, starts, the pace of a runner, and what is usual.

Figures that a source does not give are taken from those it gives, by Little's law where jobs start in order of arrival:
as many jobs wait as arrived during the longest wait (J. D. C. Little, Operations Research 9, 1961).
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from bot.core.pool.baseline import GAP_SECONDS, MEAN_OVER_MEDIAN, means, weights
from bot.core.pool.pool import NORMAL_WAIT_SECONDS, Snapshot

LEAST_SAMPLES = 3
NOW_MINUTES = 30.0
"""Arrivals and pace are means over this time."""
SLOPE_MINUTES, LATELY_MINUTES = 20.0, 10.0
BATCH_MINUTES = 60.0
"""A batch is looked for in this time: a rate of half an hour ago may be an average over the half hour before."""
LEAST_BATCH, BATCH_USUAL_MINUTES = 5, 30.0
"""A batch has at least so many jobs, and as many as usually arrive in this time."""
TYPICAL, TYPICAL_MINUTES = 5, 20.0
"""So many typical jobs of that length are counted where few are seen."""
ENOUGH_SECONDS = 3 * 3600.0
"""Samples of a shorter time are mostly of the trouble; the source's mean is of a day. An incident begins with the four
hours before it where the source has them, and must not change its mind when these grow by a minute."""


def usual_arrivals(series: Sequence[Snapshot], pace: float | None) -> float | None:
    """Of the samples; of the source, where they are too few to hold much else than the trouble.

    Where the source gives none: the jobs that runners took, by Little's law, and those by which the queue grew.
    """
    last = series[-1]
    minutes = (last.at - series[0].at) / 60
    if last.usual_arrivals_per_minute is not None and 60 * minutes < ENOUGH_SECONDS:
        return last.usual_arrivals_per_minute
    seen, busy = means(series, ("arrivals_per_minute", "busy"))
    if seen is not None or busy is None or pace is None:
        return seen
    before = next(servable(s) for s in series if s.queued is not None)
    return max(0.0, busy * pace + (servable(last) - before) / max(1.0, minutes))


class Rates(NamedTuple):
    """Jobs per minute."""

    arrivals: float
    served: float
    """Jobs that runners take."""
    shrinks: float | None
    """By which the queue fell in the last minutes; None: unknown."""


def rates_of(series: Sequence[Snapshot], usual: float | None) -> Rates | None:
    """The present rates; None with too few samples. After a large batch the usual ones arrive."""
    hour = within(series, BATCH_MINUTES)
    level = _without_batch(hour, usual)
    arrivals = usual if level else mean_of(s.arrivals_per_minute for s in within(hour, NOW_MINUTES))
    waited = hour[-1].oldest_wait_seconds or 0.0
    if arrivals is None and level is None and waited > NORMAL_WAIT_SECONDS / 2:
        arrivals = servable(hour[-1]) * 60 / waited  # by Little's law
    found = _rates(level or hour, arrivals)
    return None if found is None else Rates(*found, _shrinks(level or hour, LATELY_MINUTES))


def _without_batch(series: Sequence[Snapshot], usual: float | None) -> list[Snapshot] | None:
    """The samples as if the one large batch among them had always waited; None without one.

    It came at once, so it is no rate that goes on.
    """
    known = [s for s in series if s.queued is not None]
    steps = [(one, other) for one, other in pairwise(known) if other.at - one.at <= GAP_SECONDS]
    rises = [(servable(after) - servable(before), after.at) for before, after in steps]
    size, at = max(rises, default=(0.0, 0.0))
    total = sum(rise for rise, _ in rises if rise > 0)
    if size < max(LEAST_BATCH, total / 2, BATCH_USUAL_MINUTES * (usual or 0.0)):
        return None
    return [replace(s, queued=round((s.queued or 0) + size)) if s.at < at else s for s in known]


def _rates(series: Sequence[Snapshot], arrivals: float | None) -> tuple[float, float] | None:
    """(arrivals, starts) per minute: two of arrivals, starts and the queue's slope give the third.

    Where only the queue is known, as many arrived as it rose from sample to sample, whatever its slope over time.
    """
    last, falls = series[-1], _shrinks(series, SLOPE_MINUTES)
    starts = mean_of(ended_in(s) for s in within(series, SLOPE_MINUTES))
    if starts is None and last.busy is not None and last.duration_p50_seconds:
        starts = last.busy * 60 / (last.duration_p50_seconds * MEAN_OVER_MEDIAN)
    if falls is None:
        return None if arrivals is None or starts is None else (arrivals, starts)
    came = mean_of((arrivals, None if starts is None else max(0.0, starts - falls)))
    if came is None:
        known = [s for s in within(series, SLOPE_MINUTES) if s.queued is not None]
        rose = sum(max(0.0, servable(after) - servable(before)) for before, after in pairwise(known))
        came = rose * 60 / (known[-1].at - known[0].at)
    return came, max(0.0, came + falls)


def _shrinks(series: Sequence[Snapshot], minutes: float) -> float | None:
    """Jobs by which the queue fell per minute; None with too few samples."""
    known = [s for s in within(series, minutes) if s.queued is not None]
    if len(known) < LEAST_SAMPLES:
        return None
    return (servable(known[0]) - servable(known[-1])) * 60 / (known[-1].at - known[0].at)


def paces(series: Sequence[Snapshot]) -> tuple[float | None, float | None]:
    """(present, usual) jobs per minute of one runner, by Little's law; else from durations; else by those that left."""
    last = series[-1]
    by_time = 60 / (last.duration_p50_seconds * MEAN_OVER_MEDIAN) if last.duration_p50_seconds else None
    usual = _per_runner(series)
    present = _per_runner(within(series, NOW_MINUTES)) or by_time or usual or _in_order(series)
    return present, usual or present


def _in_order(series: Sequence[Snapshot]) -> float | None:
    """By the jobs that ended while the oldest one waited, where only the queue and busy runners are known.

    Jobs start in order, so the queue of then has started since. Few jobs say little, so some typical ones count too.
    """
    minutes = (series[-1].oldest_wait_seconds or 0.0) / 60
    known = [s for s in within(series, minutes) if s.queued is not None and s.busy is not None]
    if len(known) < LEAST_SAMPLES or series[0] is known[0]:
        return None
    ended = servable(known[0]) + max(0, (known[0].busy or 0) - (known[-1].busy or 0))
    worked = sum((s.busy or 0) * seconds / 60 for s, seconds in zip(known, weights(known), strict=False))
    return (ended + TYPICAL) / (worked + TYPICAL * TYPICAL_MINUTES)


def _per_runner(window: Sequence[Snapshot]) -> float | None:
    both = [
        (ended * seconds, s.busy * seconds)
        for s, seconds in zip(window, weights(window), strict=False)
        if (ended := ended_in(s)) is not None and s.busy is not None
    ]
    busy = sum(number for _, number in both)
    return sum(ended for ended, _ in both) / busy or None if busy else None


def ended_in(sample: Snapshot) -> float | None:
    """Jobs that runners finished per minute; where unknown, those that they started."""
    known = sample.completions_per_minute
    return sample.starts_per_minute if known is None else known


def servable(sample: Snapshot) -> float:
    return float(max(0, (sample.queued or 0) - (sample.unservable or 0)))


def within(series: Sequence[Snapshot], minutes: float) -> Sequence[Snapshot]:
    return [s for s in series if series[-1].at - s.at <= minutes * 60]


def mean_of(values: Iterable[float | None]) -> float | None:
    known = [float(v) for v in values if v is not None]
    return sum(known) / len(known) if known else None
