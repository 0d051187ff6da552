"""A queue's way as one line of text: a few bars, and the same in words for whoever cannot see them."""

from collections.abc import Sequence
from itertools import pairwise

from bot.core.charts.queue_series import QueueSeries, segments
from bot.core.incident.incident import Incident
from bot.core.pool.pool import Peak
from bot.core.words import clock, count, duration

BARS = "▁▂▃▄▅▆▇█"
GAP = "·"
"""Nothing is known of that time."""
MOST_BARS = 20
"""As many as a phone has room for beside each other (390 px): bars that go on in the next line show another shape."""
MOST_POOLS = 4
LEAST_POINTS = 5
"""Known points before a queue is worth a picture."""


def pictured(incident: Incident) -> tuple[str, ...]:
    """The pools worth a picture, the worst first: those of whose queue enough is known."""
    known = [name for name, course in incident.courses.items() if _known(course) >= LEAST_POINTS]

    def order(name: str) -> tuple[float, int, str]:
        return (*incident.peaks.get(name, Peak()).order, name)

    return tuple(sorted(known, key=order))


def moved(incident: Incident) -> bool:
    """Whether the worst queue was ever shorter or longer than it is: one that stands still makes no picture."""
    worst = pictured(incident)[:1]
    return any(len({point.queued for point in incident.courses[name].points} - {None}) > 1 for name in worst)


def spark_lines(incident: Incident) -> tuple[str, ...]:
    """One line for each of the worst pools; empty when too little is known."""
    names = pictured(incident)
    lines = tuple(_line(name, incident.courses[name]) for name in names[:MOST_POOLS])
    more = len(names) - MOST_POOLS
    return lines if more <= 0 else (*lines, f"{count(more, 'more pool')} not drawn")


def sparkline(values: Sequence[float | None], most: int = MOST_BARS) -> str:
    """Bars from nothing to the largest value, the worst of each part when there are more than `most` values."""
    parts = [list(values[i * len(values) // most : (i + 1) * len(values) // most]) for i in range(most)]
    shown = list(values) if len(values) <= most else [max((v for v in p if v is not None), default=None) for p in parts]
    top = max((v for v in shown if v is not None), default=0.0)
    return "".join(GAP if v is None else BARS[round((len(BARS) - 1) * v / top) if top else 0] for v in shown)


def _line(name: str, course: QueueSeries) -> str:
    known = [pair for stretch in segments(course, "queued") for pair in stretch]
    (first_at, first), (newest, last) = known[0], known[-1]
    peak_at, peak = max(known, key=lambda pair: pair[1])
    bars = sparkline(_even(course))
    unknown = f" ({GAP} unknown)" if GAP in bars else ""
    waits = [p.oldest_wait_seconds for p in course.points if p.oldest_wait_seconds is not None]
    wait = f"; longest wait {duration(max(waits))}" if waits else ""
    begins, ends, at_peak = (clock(at, newest - first_at) for at in (first_at, newest, peak_at))
    return (
        f"{name} {bars}{unknown} jobs queued from {begins} to {ends} UTC: "
        f"first {first:,.0f}, peak {peak:,.0f} at {at_peak}, last {last:,.0f}{wait}"
    )


def _even(course: QueueSeries) -> list[float | None]:
    """The queue in equal parts of the time: the worst of each, None where nothing is known of the whole part."""
    begins, ends = course.points[0].at, course.points[-1].at
    number = min(MOST_BARS, len(course.points))
    length = (ends - begins) / max(1, number - 1)
    found: list[float | None] = [None] * number
    for stretch in segments(course, "queued"):
        for (at, value), (until, _) in pairwise((*stretch, stretch[-1])):
            first, last = (min(number - 1, int((when - begins) / length)) if length else 0 for when in (at, until))
            for part in range(first, max(first + 1, last)):
                found[part] = max(value, found[part] or 0.0)
    return found


def _known(course: QueueSeries) -> int:
    return sum(point.queued is not None for point in course.points)
