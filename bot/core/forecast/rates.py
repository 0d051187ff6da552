"""Reads counts and rates from a queue's samples: arrivals, starts, the pace of a runner, how many jobs come together.

Figures that a source does not give follow from those it gives, by Little's law where jobs start in order of arrival: as
many jobs wait as arrived during the longest wait (J. D. C. Little, Operations Research 9, 1961).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from bot.core.pool.baseline import GAP_SECONDS, MEAN_OVER_MEDIAN, weights
from bot.core.pool.pool import NORMAL_WAIT_SECONDS, Snapshot

LEAST_SAMPLES = 3
"""Origin: two show a slope, a third that it is one."""
NOW_MINUTES, PACE_MINUTES = 30.0, 60.0
"""Arrivals are counted over half an hour, ends over an hour; both only since the trouble began. Origin: judgement; few
jobs end while jobs are long."""
RATE_MINUTES = 10.0
"""Origin: over which the known exporters average rates (docs/reference/metrics.md)."""
BUSY_MINUTES = 5.0
"""Busy runners are a mean over this time. Origin: half of what exporters average rates over."""


@dataclass(frozen=True, slots=True)
class Count:
    """Jobs that were counted over minutes, or over minutes of runners."""

    jobs: float
    minutes: float

    @property
    def rate(self) -> float:
        """Per minute."""
        return self.jobs / self.minutes if self.minutes else 0.0


def servable(sample: Snapshot) -> float:
    """Jobs that the pool's runners may take."""
    return float(max(0, (sample.queued or 0) - (sample.unservable or 0)))


def ended_in(sample: Snapshot) -> float | None:
    """Jobs that runners finished per minute; where unknown, those that they started."""
    known = sample.completions_per_minute
    return sample.starts_per_minute if known is None else known


def within(series: Sequence[Snapshot], minutes: float) -> Sequence[Snapshot]:
    return [s for s in series if series[-1].at - s.at <= minutes * 60]


def mean_of(values: Iterable[float | None]) -> float | None:
    """The mean of the known ones."""
    known = [float(v) for v in values if v is not None]
    return sum(known) / len(known) if known else None


def online(sample: Snapshot) -> int | None:
    """Busy and idle runners; idle ones count as none where unknown."""
    return None if sample.busy is None else sample.busy + (sample.idle or 0)


def waited_minutes(series: Sequence[Snapshot], floor: int, pace: float) -> float:
    """Minutes of the longest wait; where unknown, as long as fewer jobs have started than waited then."""
    last, started = series[-1], 0.0
    if last.oldest_wait_seconds is not None:
        return last.oldest_wait_seconds / 60
    for before, now in pairwise(reversed(series)):
        ended = ended_in(before)
        least = servable(now) - servable(before)
        started += max(least, ((before.busy or 0) * pace if ended is None else ended) * (before.at - now.at) / 60)
        if now.queued is not None and now.queued <= max(floor, started):
            return (last.at - before.at) / 60
    return (last.at - series[0].at) / 60


def arrivals_of(series: Sequence[Snapshot], served: float | None, minutes: float = NOW_MINUTES) -> Count | None:
    """Arrivals of the last minutes: counted, else what started and by how much the queue rose, else its rises.

    None with too few samples.
    """
    lately = within(series, minutes)
    minutes = min(minutes, max(1.0, (lately[-1].at - lately[0].at) / 60))
    per_minute, last = mean_of(s.arrivals_per_minute for s in lately), series[-1]
    if per_minute is not None:
        return Count(per_minute * minutes, minutes)
    known = [s for s in lately if s.queued is not None]
    waited = (last.oldest_wait_seconds or 0.0) / 60
    if served is not None and len(known) >= LEAST_SAMPLES:
        return Count(max(0.0, served + rise_of(series, minutes)) * minutes, minutes)
    if 60 * waited > NORMAL_WAIT_SECONDS / 2:  # by Little's law
        return Count(servable(last), waited)
    if len(known) < LEAST_SAMPLES:
        return None
    return Count(sum(max(0.0, servable(b) - servable(a)) for a, b in pairwise(known)), minutes)


def rise_of(series: Sequence[Snapshot], minutes: float) -> float:
    """Jobs by which the queue grew per minute; 0 with one sample."""
    known = [s for s in within(series, minutes) if s.queued is not None]
    return (servable(known[-1]) - servable(known[0])) * 60 / (known[-1].at - known[0].at) if len(known) > 1 else 0.0


def served_lately(series: Sequence[Snapshot], pace: float | None) -> float | None:
    """Jobs that started per minute, where they are counted or follow from the runners."""
    lately = within(series, NOW_MINUTES)
    starts = mean_of(s.starts_per_minute for s in lately)
    starts = mean_of(ended_in(s) for s in lately) if starts is None else starts
    if starts is not None:
        return starts
    busy = mean_of(s.busy for s in within(series, BUSY_MINUTES))
    return None if busy is None or pace is None else busy * pace


def since_it_began(minutes: float) -> float:
    """The part of these minutes that tells what comes: without the jobs that began the trouble.

    The time begins with them because they came, so they say nothing of how often such jobs come.
    """
    return minutes - RATE_MINUTES if minutes >= 2 * RATE_MINUTES else minutes


def together(series: Sequence[Snapshot], usual: float, begun: float) -> float:
    """How many jobs come together: of the calm time, and of the last hour, without those that began the trouble."""
    hour = [s for s in within(series, PACE_MINUTES) if s.queued is not None]
    rises = [
        max(0.0, servable(now) - servable(before))
        for before, now in pairwise(hour)
        if now.at - before.at <= GAP_SECONDS and not before.at - NORMAL_WAIT_SECONDS <= begun <= now.at
    ]
    total = sum(rises)
    return max(usual, sum(rise * rise for rise in rises) / total if total else 1.0)


def ends_of(series: Sequence[Snapshot], minutes: float = PACE_MINUTES) -> Count | None:
    """Ended jobs and runner-minutes of the last minutes; else those that started; else a few of median duration."""
    hour = within(series, minutes)
    both = [
        (ended * seconds / 60, s.busy * seconds / 60)
        for s, seconds in zip(hour, weights(hour), strict=False)
        if (ended := ended_in(s)) is not None and s.busy is not None
    ]
    worked = sum(busy for _, busy in both)
    if worked:
        return Count(sum(ended for ended, _ in both), worked)
    came, busy = (mean_of(getattr(s, name) for s in hour) for name in ("arrivals_per_minute", "busy"))
    if came is not None and busy and len(hour) >= LEAST_SAMPLES:  # what arrived and waits no more has started
        long = (hour[-1].at - hour[0].at) / 60
        return Count(max(0.0, came - rise_of(series, minutes)) * long, busy * long)
    middle = mean_of(s.duration_p50_seconds for s in within(series, BUSY_MINUTES))
    return None if not middle else Count(LEAST_SAMPLES, LEAST_SAMPLES * middle * MEAN_OVER_MEDIAN / 60)


def started_in_order(series: Sequence[Snapshot]) -> Count | None:
    """Jobs that ended while the oldest one waited, where only the queue and busy runners are known.

    Jobs start in order, so the queue of then has started since.
    """
    minutes = (series[-1].oldest_wait_seconds or 0.0) / 60
    known = [s for s in within(series, minutes) if s.queued is not None and s.busy is not None]
    if len(known) < LEAST_SAMPLES or series[0] is known[0]:
        return None
    ended = servable(known[0]) + max(0, (known[0].busy or 0) - (known[-1].busy or 0))
    worked = sum((s.busy or 0) * seconds / 60 for s, seconds in zip(known, weights(known), strict=False))
    return Count(ended, worked) if worked else None
