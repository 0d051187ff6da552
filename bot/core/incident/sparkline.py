"""A queue over time in a few numbers: bars, first, highest and last value, and where it is heading."""

from enum import StrEnum
from itertools import pairwise

from bot.core.incident.details.events import Spark
from bot.core.incident.incident import Incident
from bot.core.incident.pools import worst_peaks
from bot.core.incident.queue_series import QueueSeries, segments
from bot.core.pool.merge import one_source
from bot.core.pool.pool import Pool

MOST_BARS = 20
"""The width of a phone (390 px); bars that wrap would show another shape."""
MOST_POOLS = 4
LEAST_POINTS = 5
"""Known points required for a chart."""


def pictured(incident: Incident) -> tuple[str, ...]:
    """The pools with enough known points for a chart, the worst first."""
    courses = incident.pools.courses
    known = [name for name in courses if sum(p.queued is not None for p in courses[name].points) >= LEAST_POINTS]
    return tuple(worst_peaks(known, incident.pools.peaks))


def sparks_of(incident: Incident) -> tuple[tuple[Spark, ...], int]:
    """(queues of the worst pools, number of further pools); empty with too little data."""
    names = pictured(incident)
    shown = tuple(_spark(name, incident.pools.courses[name]) for name in names[:MOST_POOLS])
    return shown, max(0, len(names) - MOST_POOLS)


def _spark(name: str, series: QueueSeries) -> Spark:
    known = [pair for stretch in segments(series, "queued") for pair in stretch]
    (first_at, first), (newest, last) = known[0], known[-1]
    peak_at, peak = max(known, key=lambda pair: pair[1])
    waits = [p.oldest_wait_seconds for p in series.points if p.oldest_wait_seconds is not None]
    return Spark(name, tuple(_even(series)), first_at, newest, first, peak, peak_at, last, max(waits, default=None))


def _even(series: QueueSeries) -> list[float | None]:
    """The queue in equal parts of time: the maximum of each, None if unknown."""
    begins, ends = series.points[0].at, series.points[-1].at
    number = min(MOST_BARS, len(series.points))
    length = (ends - begins) / max(1, number - 1)
    found: list[float | None] = [None] * number
    for stretch in segments(series, "queued"):
        for (at, value), (until, _) in pairwise((*stretch, stretch[-1])):
            first, last = (min(number - 1, int((when - begins) / length)) if length else 0 for when in (at, until))
            for part in range(first, max(first + 1, last)):
                found[part] = max(value, found[part] or 0.0)
    return found


TREND_SAMPLES, TREND_SECONDS = 20, 600.0


class Trend(StrEnum):
    GROWING = "growing"
    STEADY = "steady"
    SHRINKING = "shrinking"
    UNKNOWN = "unknown"


def trend(pool: Pool) -> Trend:
    """Compare the newest known queue with the oldest in the span; under 10 % (or 2 jobs) is steady.

    The span has at most TREND_SAMPLES samples, so that a short poll period gives the present trend.
    """
    known = [sample for sample in one_source(pool.samples) if sample.queued is not None][-TREND_SAMPLES:]
    if len(known) < 2:
        return Trend.UNKNOWN
    last = known[-1]
    first = next(sample for sample in known if sample.at >= last.at - TREND_SECONDS)
    if first is last or first.queued is None or last.queued is None:
        return Trend.UNKNOWN
    change, least = last.queued - first.queued, max(2, 0.1 * max(first.queued, last.queued))
    return Trend.STEADY if abs(change) < least else Trend.GROWING if change > 0 else Trend.SHRINKING
