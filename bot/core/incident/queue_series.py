"""A pool's queue during an incident: a short series for charts, hours waited, likely causes."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from bot.core.known import most
from bot.core.pool.pool import Snapshot

PAST_SECONDS = 1800.0
"""How much time before the incident the series includes, if samples exist."""
PAST_STEP_SECONDS = 30.0
"""Largest step between samples of that time (`bot/measuring/measure.py`)."""
MOST_POINTS = 96
"""Points kept per pool; with more, every two are merged."""
FEWER_POINTS = 24
"""The same for an incident with many pools."""
MANY_POOLS = 4


@dataclass(frozen=True, slots=True)
class SeriesPoint:
    """The worst values of a queue in one step of its series; None is unknown, not zero."""

    at: float
    """Epoch seconds of the step's first sample."""
    queued: int | None = None
    oldest_wait_seconds: float | None = None
    online: int | None = None
    """Busy and idle runners, as last measured in the step."""
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class QueueSeries:
    step_seconds: float
    past_until: float = 0.0
    """Until this time samples may come from the source's history, in steps of `PAST_STEP_SECONDS`."""
    points: tuple[SeriesPoint, ...] = ()
    """Oldest first; steps without samples are absent."""
    seen_at: float | None = None
    """Time of the newest included sample (epoch seconds)."""
    seen_queued: int | None = None
    """Its queue."""
    seen_wait_seconds: float | None = None
    """Its longest wait."""
    waited_seconds: float = 0.0
    """Sum of the seconds that jobs waited since the incident began; in the pool's own time."""
    measured_seconds: float = 0.0
    """Measured part of that time (both ends of a segment measured); in clock time."""
    causes: Mapping[str, int] = field(default_factory=dict)
    """Id of the likeliest cause → in how many samples."""

    @property
    def likeliest(self) -> tuple[str, int, int] | None:
        """The most frequent cause, its samples, and the samples with any cause; None without one."""
        if not self.causes:
            return None
        name = max(sorted(self.causes), key=lambda cause: self.causes[cause])
        return name, self.causes[name], sum(self.causes.values())


@dataclass(frozen=True, slots=True)
class Span:
    began_at: float
    """Epoch seconds; waiting counts from then on."""
    opened_at: float
    """Epoch seconds; from here on it is measured once in each poll period."""
    poll_seconds: float
    """No sample is missing between two that are at most twice this apart."""
    pools: int = 1
    """Number of pools with a series; they share the space."""


def extended(series: QueueSeries | None, samples: tuple[Snapshot, ...], span: Span, cause: str = "") -> QueueSeries:
    """The series with new samples; `cause` is the likeliest one now.

    A segment between two samples counts with the shorter of the two queues, and not at all if a sample is missing in
    it. So the sum is a lower bound.
    """
    after = series or QueueSeries(max(2 * span.poll_seconds, 1.0), span.opened_at)
    since = span.began_at - PAST_SECONDS if after.seen_at is None else after.seen_at
    fresh = [sample for sample in samples if sample.at > since]
    for sample in fresh:
        after = _with(after, sample, span)
    if not fresh:
        return series or after
    if cause:
        after = replace(after, causes={**after.causes, cause: after.causes.get(cause, 0) + 1})
    return _fitted(after, FEWER_POINTS if span.pools > MANY_POOLS else MOST_POINTS)


def _with(series: QueueSeries, sample: Snapshot, span: Span) -> QueueSeries:
    waited, measured = series.waited_seconds, series.measured_seconds
    length = None if series.seen_at is None or series.seen_at < span.began_at else sample.at - series.seen_at
    known = [queued for queued in (series.seen_queued, sample.queued) if queued is not None]
    if length is not None and length <= 2 * span.poll_seconds + 1 and len(known) == 2:
        waited += min(known) * length
        measured += length
    point = SeriesPoint(sample.at, sample.queued, sample.oldest_wait_seconds, sample.online, sample.limit)
    points = series.points
    if points and _step(points[-1], series.step_seconds) == _step(point, series.step_seconds):
        points = (*points[:-1], _worst(points[-1], point))
    else:
        points = (*points, point)
    after = replace(series, points=points, waited_seconds=waited, measured_seconds=measured)
    return replace(after, seen_at=sample.at, seen_queued=sample.queued, seen_wait_seconds=sample.oldest_wait_seconds)


def _worst(first: SeriesPoint, second: SeriesPoint) -> SeriesPoint:
    return SeriesPoint(
        first.at,
        most((first.queued, second.queued)),
        most((first.oldest_wait_seconds, second.oldest_wait_seconds)),
        first.online if second.online is None else second.online,
        first.limit if second.limit is None else second.limit,
    )


def _step(point: SeriesPoint, step_seconds: float) -> int:
    return int(point.at // step_seconds)


def _fitted(series: QueueSeries, most: int) -> QueueSeries:
    after = series
    while len(after.points) > most:
        step, kept = 2 * after.step_seconds, list[SeriesPoint]()
        for point in after.points:
            if kept and _step(kept[-1], step) == _step(point, step):
                kept[-1] = _worst(kept[-1], point)
            else:
                kept.append(point)
        after = replace(after, step_seconds=step, points=tuple(kept))
    return after


def segments(series: QueueSeries, figure: str) -> tuple[tuple[tuple[float, float], ...], ...]:
    """(epoch seconds, value) of a `SeriesPoint` figure, split where a step or the figure is unknown.

    The queue and the wait end with their newest sample, which may be less than the maximum of its step.
    """
    found: list[list[tuple[float, float]]] = []
    before: SeriesPoint | None = None
    for point in series.points:
        value: float | None = getattr(point, figure)
        follows = before is not None and _follows(series, before, point)
        if value is not None and follows and found:
            found[-1].append((point.at, float(value)))
        elif value is not None:
            found.append([(point.at, float(value))])
        before = None if value is None else point
    newest = {"queued": series.seen_queued, "oldest_wait_seconds": series.seen_wait_seconds}.get(figure)
    if before is not None and series.seen_at is not None and series.seen_at > before.at and newest is not None:
        found[-1].append((series.seen_at, float(newest)))
    return tuple(map(tuple, found))


def until(series: QueueSeries, at: float) -> QueueSeries:
    """The series as it was at a time (epoch seconds)."""
    points = tuple(point for point in series.points if point.at <= at)
    if series.seen_at is not None and series.seen_at <= at:
        return replace(series, points=points)
    seen = points[-1].at if points else None
    return replace(series, points=points, seen_at=seen, seen_queued=None, seen_wait_seconds=None)


def _follows(series: QueueSeries, before: SeriesPoint, point: SeriesPoint) -> bool:
    """Whether no step is missing between two points; history has wider steps."""
    if _step(point, series.step_seconds) - _step(before, series.step_seconds) <= 1:
        return True
    past = point.at <= series.past_until + PAST_STEP_SECONDS
    return past and point.at - before.at <= series.step_seconds + 2 * PAST_STEP_SECONDS
