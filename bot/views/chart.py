"""Slack's native line chart of a pool's queue up to now, and of its longest wait."""

import math
from bisect import bisect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from operator import itemgetter

from bot.core.incident.details.events import ChartShown
from bot.core.incident.incident import Incident
from bot.core.incident.observe import Timing, View
from bot.core.incident.queue_series import QueueSeries, segments, until
from bot.core.incident.sparkline import pictured
from bot.core.incident.timeline import Entry, Event, Role
from bot.core.message import Block
from bot.core.pool.pool import Pool, stale
from bot.core.signals.course import LEAST_POINTS
from bot.core.signals.signal import Counts
from bot.core.words import clock
from bot.views.mrkdwn import clean, clipped
from bot.views.words.interval import RECENT_SECONDS

MOST_CATEGORIES = 20
_MINUTES = (1, 2, 3, 4, 5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 360, 720, 1440, 10080)
BUCKET_SECONDS = tuple(60 * minutes for minutes in _MINUTES)
MOST_UNKNOWN = 0.25
"""With a larger share of unknown buckets there is no chart."""
DAY_SECONDS = 86400

Pairs = Sequence[tuple[float, float]]
Series = list[tuple[str, list[float]]]
"""Name and values; Slack gives colors by their order, so the queue is always first."""
Choose = Callable[[Sequence[float]], float]


@dataclass(frozen=True, slots=True)
class Window:
    first: float
    last: float
    closed: bool
    """For an ended incident: clock times instead of distances from now."""
    newest: str = "now"
    """The label of the newest point; a stale one is not that of now."""

    def buckets(self) -> tuple[float, list[float]]:
        """(seconds of a bucket, the end of each, oldest first, the last one is `last`)."""
        most = MOST_CATEGORIES
        span = max(self.last - self.first, 1.0)
        width = next((w for w in BUCKET_SECONDS if span / w <= most), BUCKET_SECONDS[-1])
        number = min(most, max(2, math.ceil(span / width)))
        return float(width), [self.last - width * back for back in range(number - 1, -1, -1)]


def charts_of(incident: Incident, entry: Entry) -> list[Block]:
    """The charts of a reply: the queue of the worst pool and its longest wait, as they were then."""
    over = Role.END in entry.event.roles
    for name in pictured(incident)[:1] if over or entry.event is Event.CHARTED else ():
        recorded = until(incident.pools.courses[name], entry.at)
        if recorded.points:
            window = _window(incident, recorded, closed=over, live=entry.at - (recorded.seen_at or 0) < RECENT_SECONDS)
            second = _signal_chart(entry, window) or wait_chart(name, recorded, window)
            return [block for block in (queue_chart(name, recorded, window), second) if block is not None]
    return []


def chart_now(incident: Incident, view: View, now: float, timing: Timing) -> Block | None:
    """The worst pool's queue up to now; the forecast stands in words, because its time has another scale."""
    for name in pictured(incident)[:1]:
        recorded, pool = incident.pools.courses[name], view.pools.get(name, Pool(name))
        live = not stale(pool, now, timing.poll)
        window = _window(incident, recorded, closed=incident.closed, live=live)
        return queue_chart(name, recorded, window)
    return None


def _window(incident: Incident, recorded: QueueSeries, *, closed: bool, live: bool) -> Window:
    """An open incident is shown with all of its past, one that is over from its beginning, as its peaks are told."""
    first, last = recorded.points[0].at, recorded.seen_at or recorded.points[-1].at
    if closed:
        first = max(first, min(incident.began_at, last - 60.0))
    return Window(first, last, closed, "now" if live else "last")


def queue_chart(pool: str, recorded: QueueSeries, window: Window) -> Block | None:
    """Jobs queued, then runners; None when too little is known. An unknown bucket is left out, never zero."""
    labels, known = _points(segments(recorded, "queued"), window)
    series = [("queued", list(known.values()))]
    stretches, (width, _) = segments(recorded, "online"), window.buckets()
    runners = [_value(stretches, end - width, end, itemgetter(-1)) for end in known]
    if all(value is not None for value in runners):
        series.append(("runners", [value or 0.0 for value in runners]))
    return _line(f"{clipped(clean(pool), 30)}: queue", labels, series, "Jobs, runners", window)


def wait_chart(pool: str, recorded: QueueSeries, window: Window) -> Block | None:
    """The longest wait in whole minutes, as messages tell it; None when too little is known."""
    labels, known = _points(segments(recorded, "oldest_wait_seconds"), window)
    series = [("longest wait", [wait // 60 for wait in known.values()])]
    return _line(f"{clipped(clean(pool), 30)}: wait (min)", labels, series, "Minutes", window)


def _signal_chart(entry: Entry, window: Window) -> Block | None:
    """Machines in trouble, or the number of a service, where one is in trouble: a message takes two charts."""
    found = entry.details.signals if isinstance(entry.details, ChartShown) else ()
    course = next((one for one in found if one.bad and len(one.points) >= LEAST_POINTS), None)
    if course is None:
        return None
    (labels, known), counts = _points((course.points,), window), course.signal.counts is not Counts.VALUE
    unit = f"{course.signal.unit or 'machine'}s in trouble" if counts else course.signal.name
    title = f"{clipped(clean(course.pool), 25)}: {clipped(clean(course.signal.name), 20)}"
    return _line(title, labels, [(unit, [*known.values()])], unit.capitalize(), window)


def _points(stretches: tuple[Pairs, ...], window: Window) -> tuple[list[str], dict[float, float]]:
    """(labels, the highest value of each bucket by its end); nothing when too little is known."""
    width, ends = window.buckets()
    known = _levels(stretches, ends, width)
    return [_label(end, window, width) for end in known], known


def _levels(stretches: tuple[Pairs, ...], ends: Sequence[float], width: float) -> dict[float, float]:
    """The highest value of each bucket, where known; nothing when too few are.

    The last one shows the latest, and a peak in it counts for the one before.
    """
    found = {end: _value(stretches, end - width, end, max) for end in ends}
    *_, before, last = ends
    highest, latest = found[last], _value(stretches, last - width, last, itemgetter(-1))
    if highest is not None and latest is not None and latest < highest:
        found[before] = max(highest, found[before] or 0.0)
        found[last] = latest
    known = {end: value for end, value in found.items() if value is not None}
    return known if len(known) >= max(2, (1 - MOST_UNKNOWN) * len(ends)) else {}


def _value(stretches: tuple[Pairs, ...], begin: float, end: float, choose: Choose) -> float | None:
    """The figure of one bucket; one without a sample keeps the previous value within a segment."""
    inside: list[float] = []
    for stretch in islice(stretches, bisect(stretches, begin, key=lambda stretch: stretch[-1][0]), None):
        if stretch[0][0] > end:
            break
        first, last = bisect(stretch, (begin, math.inf)), bisect(stretch, (end, math.inf))
        inside += [value for _, value in stretch[first:last]]
        if not inside and stretch[0][0] <= begin and stretch[-1][0] >= end:
            inside += [stretch[last - 1][1]]
    return choose(inside) if inside else None


def _label(end: float, window: Window, width: float) -> str:
    if window.closed:
        long = window.last - window.first > DAY_SECONDS
        return f"{datetime.fromtimestamp(end, UTC):{'%a %H:%M' if long else '%H:%M'}}"
    return window.newest if end == window.last else f"-{_span(window.last - end, minutes=width < 3600)}"


def _span(seconds: float, *, minutes: bool = True) -> str:
    whole = round(seconds / 60)
    if whole < 120 and minutes:
        return f"{whole}m"
    hours, rest = divmod(whole, 60)
    return (f"{hours}h{rest}m" if rest else f"{hours}h") if whole < 2880 else f"{whole / 1440:.3g}d"


def _line(title: str, labels: list[str], series: Series, unit: str, window: Window) -> Block | None:
    """The block; None without a bucket, or if two cannot be told apart."""
    if not labels or len(set(labels)) < len(labels):
        return None
    x_label = "UTC" if window.closed else f"Before {clock(window.last)} UTC"
    data = [
        {"name": name, "data": [{"label": label, "value": value} for label, value in zip(labels, values, strict=True)]}
        for name, values in series
    ]
    axes = {"categories": labels, "x_label": x_label, "y_label": unit}
    chart = {"type": "line", "series": data, "axis_config": axes}
    return {"type": "data_visualization", "title": title, "chart": chart}
