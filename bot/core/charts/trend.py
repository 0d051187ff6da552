"""Where a pool's queue is heading."""

from enum import StrEnum

from bot.core.pool.pool import Pool

TREND_SAMPLES = 20


class Trend(StrEnum):
    GROWING = "growing"
    STEADY = "steady"
    SHRINKING = "shrinking"
    UNKNOWN = "unknown"


def trend(pool: Pool, span_seconds: float = 600.0) -> Trend:
    """Compare the newest known queue with the oldest in the span; under 10 % (or 2 jobs) is steady.

    The span has at most TREND_SAMPLES samples, so that a short poll period gives the present trend.
    """
    known = [sample for sample in pool.samples if sample.queued is not None][-TREND_SAMPLES:]
    if len(known) < 2:
        return Trend.UNKNOWN
    last = known[-1]
    first = next(sample for sample in known if sample.at >= last.at - span_seconds)
    if first is last or first.queued is None or last.queued is None:
        return Trend.UNKNOWN
    change, least = last.queued - first.queued, max(2, 0.1 * max(first.queued, last.queued))
    return Trend.STEADY if abs(change) < least else Trend.GROWING if change > 0 else Trend.SHRINKING
