"""The content of an incident's chart: series, ticks, marks, band and text, as values."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from bot.core.charts.queue_series import QueueSeries, segments
from bot.core.charts.sparkline import MOST_POOLS, pictured
from bot.core.forecast.outlook import Forecast, Verdict
from bot.core.incident.incident import Incident, State
from bot.core.incident.observe import Timing, View
from bot.core.incident.timeline import Entry, Event
from bot.core.pool.pool import Peak
from bot.core.words import clock, count, duration, figure
from bot.views.mrkdwn import clean, clipped, utc

LABELS = {
    Event.ACKED: "ack",
    Event.SILENCED: "silence",
    Event.UNSILENCED: "silence ends",
    Event.SCALED: "scale",
    Event.REOPENED: "alert again",
    Event.ALERT_RESOLVED: "alert over",
    Event.RESOLVED_BY_HAND: "closed",
    Event.DRAINED: "drained",
}
ASKED = {Event.APPROVAL: "approval", Event.LENT: "lease"}
"""Marked if a person did it; other entries of this kind only report."""
MOST_MARKS = 10
LONGEST_NAME = 32
TIME_STEPS = (5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800)
MOST_TIMES = 5
FAR_ABOVE = 3.0
"""A limit this many times above the rest would flatten the queue, so it is given in words."""
LEAST_SPAN_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class ChartLine:
    """One series; (epoch seconds, value), with gaps where it is unknown."""

    name: str
    """queued, runners, limit or wait; decides its style."""
    label: str
    segments: tuple[tuple[tuple[float, float], ...], ...]


@dataclass(frozen=True, slots=True)
class Band:
    """A forecast as a band: from the queue then to its floor, between earliest and latest time."""

    label: str
    made_at: float
    queued: float
    low_at: float
    mid_at: float
    high_at: float


@dataclass(frozen=True, slots=True)
class Tick:
    """A value on an axis and its label."""

    value: float
    label: str


@dataclass(frozen=True, slots=True)
class Panel:
    """One pair of axes; the scale goes from 0 to `top`."""

    heading: str
    """The figure and its unit."""
    top: float
    ticks: tuple[Tick, ...]
    lines: tuple[ChartLine, ...]
    band: Band | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class PoolChart:
    """One pool: queue and runners, and the longest wait below."""

    pool: str
    summary: str
    depth: Panel
    wait: Panel | None


@dataclass(frozen=True, slots=True)
class Mark:
    """An event; epoch seconds."""

    at: float
    label: str


@dataclass(frozen=True, slots=True)
class Chart:
    """The chart from `begins` to `ends` (epoch seconds)."""

    title: str
    begins: float
    ends: float
    now: float | None
    """Where the forecast begins; None without one."""
    times: tuple[Tick, ...]
    zone: str
    """The axis' time zone and day."""
    marks: tuple[Mark, ...]
    pools: tuple[PoolChart, ...]
    note: str
    alt: str
    """Alt text."""


@dataclass(frozen=True, slots=True)
class ChartMoment:
    """The time span of a chart: from `first` to `last` (epoch seconds)."""

    first: float
    last: float
    timing: Timing

    def seen(self, course: QueueSeries, figure_name: str) -> tuple[tuple[tuple[float, float], ...], ...]:
        """The segments of a figure from `first` on."""
        cut = (tuple(p for p in stretch if p[0] >= self.first) for stretch in segments(course, figure_name))
        return tuple(stretch for stretch in cut if stretch)


def chart(incident: Incident, view: View, timing: Timing) -> Chart | None:
    """The worst pool, or up to four below each other; None with too little data."""
    names = pictured(incident)
    shown = names[:MOST_POOLS]
    if not shown:
        return None
    courses = [incident.pools.courses[name] for name in shown]
    last = max(course.seen_at or course.points[-1].at for course in courses)
    first = max(min(course.points[0].at for course in courses), _past_from(incident))
    pools = tuple(_pool(incident, view, name, ChartMoment(first, last, timing)) for name in shown)
    behind = max((p.depth.band.high_at for p in pools if p.depth.band), default=last)
    ends = max(last, min(behind, last + max(0.6 * (last - first), LEAST_SPAN_SECONDS)), first + LEAST_SPAN_SECONDS)
    marks = _marks(incident, first, last)
    more = len(names) - len(shown)
    notes = [_note(incident, courses), f"{count(more, 'more pool')} not drawn" if more > 0 else ""]
    return Chart(
        title=_title(incident, shown),
        begins=first,
        ends=ends,
        now=last if ends > last + 1 and not incident.closed else None,
        times=times(first, ends),
        zone=f"UTC, {utc(first)[:10]}",
        marks=marks,
        pools=pools,
        note="; ".join(note for note in notes if note),
        alt=_alt(incident, shown, pools, marks),
    )


def _past_from(incident: Incident) -> float:
    """An open incident is shown with all of its history, a closed one with half its duration before it."""
    if incident.closed_at is None:
        return 0.0
    return incident.began_at - max(LEAST_SPAN_SECONDS, (incident.closed_at - incident.began_at) / 2)


def _title(incident: Incident, shown: Sequence[str]) -> str:
    state = {State.OPEN: "open", State.EASING: "easing", State.DRAINED: "drained", State.RESOLVED: "closed"}
    what = f"Queue of {clipped(clean(shown[0]), LONGEST_NAME)}" if len(shown) == 1 else f"Queues of {len(shown)} pools"
    return f"{what} ({state[incident.state]})"


def _pool(incident: Incident, view: View, name: str, moment: ChartMoment) -> PoolChart:
    course, peak = incident.pools.courses[name], incident.pools.peaks.get(name, Peak())
    wait = moment.seen(course, "oldest_wait_seconds")
    minutes = tuple(tuple((at, value / 60) for at, value in stretch) for stretch in wait)
    state = "queue unknown" if course.seen_queued is None else f"{course.seen_queued:,} queued"
    when = "at last" if incident.closed else "now"
    return PoolChart(
        pool=clipped(clean(name), LONGEST_NAME),
        summary=f"{when} {state}; peak {figure(peak.queued)}, {duration(peak.oldest_wait_seconds)}",
        depth=_depth(course, moment, _band(incident, view, name, moment)),
        wait=_panel("oldest wait, min", (ChartLine("wait", "oldest wait", minutes),)) if minutes else None,
    )


def _depth(course: QueueSeries, moment: ChartMoment, band: Band | None) -> Panel:
    lines = [
        ChartLine("queued", "jobs queued", moment.seen(course, "queued")),
        ChartLine("runners", "runners busy + idle", moment.seen(course, "online")),
    ]
    limit = ChartLine("limit", "runner limit", moment.seen(course, "limit"))
    others, note = _top(lines), ""
    if limit.segments and _top([limit]) > FAR_ABOVE * max(others, 1.0):
        note = f"runner limit {figure(limit.segments[-1][-1][1])}, above the scale"
    elif limit.segments:
        lines.append(limit)
    known = tuple(line for line in lines if line.segments)
    return _panel("jobs queued, and runners", known, band, note)


def _panel(heading: str, lines: tuple[ChartLine, ...], band: Band | None = None, note: str = "") -> Panel:
    top = max(_top(lines), band.queued if band else 0.0, 1.0)
    step = _round_step(top / 3)
    highest = step * math.ceil(top / step)
    numbers = [step * n for n in range(round(highest / step) + 1)]
    return Panel(heading, highest, tuple(Tick(value, figure(value)) for value in numbers), lines, band, note)


def _top(lines: Iterable[ChartLine]) -> float:
    return max((value for line in lines for stretch in line.segments for _, value in stretch), default=0.0)


def _round_step(about: float) -> float:
    """1, 2, 5, 10, 20, 50, ...: the first not below the step."""
    tens = 10.0 ** math.floor(math.log10(max(about, 1.0)))
    return max(1.0, next(factor * tens for factor in (1, 2, 5, 10) if factor * tens >= about - 1e-9))


def _band(incident: Incident, view: View, name: str, moment: ChartMoment) -> Band | None:
    """The newest forecast's band; for a closed incident that of the first forecast with a time."""
    if incident.closed:
        early = [s.forecast for s in incident.pools.scores if s.forecast.pool == name and not s.left_out]
        made = next((f for f in early if f.verdict is Verdict.CLEARS and f.queued), None)
    else:
        pool = view.pools.get(name)
        made = pool.outlook if pool else None
        if made is not None and made.at < moment.last - 2 * moment.timing.poll - 1:
            return None
    return _drawn(made, moment, "first forecast" if incident.closed else "forecast")


def _drawn(made: Forecast | None, moment: ChartMoment, label: str) -> Band | None:
    if made is None or made.verdict is not Verdict.CLEARS or not made.queued or made.at < moment.first:
        return None
    if made.low_seconds is None or made.mid_seconds is None or made.high_seconds is None:
        return None
    low, mid, high = (made.at + s for s in (made.low_seconds, made.mid_seconds, made.high_seconds))
    return Band(f"{label}: empty {clock(low)} to {clock(high)}", made.at, float(made.queued), low, mid, high)


def _marks(incident: Incident, first: float, last: float) -> tuple[Mark, ...]:
    """The alert and actions; the newest if there are too many."""
    found = [Mark(incident.opened_at, "alert")]
    found += [Mark(entry.at, label) for entry in incident.log.timeline if (label := _label(entry))]
    inside = [mark for mark in found if first <= mark.at <= last + 60]
    return (*inside[:1], *inside[1:][-(MOST_MARKS - 1) :])


def _label(entry: Entry) -> str:
    return LABELS.get(entry.event) or (ASKED.get(entry.event, "") if entry.who else "")


def _note(incident: Incident, courses: Sequence[QueueSeries]) -> str:
    closed, opened = incident.closed_at, incident.began_at
    parts = max((len(segments(course, "queued")) for course in courses), default=1)
    if parts > 1:
        return "a gap: the queue is not known there"
    late = courses[0].points[0].at - opened
    return f"the first {duration(late)} are not known" if late > 300 and not closed else ""


def times(begins: float, ends: float) -> tuple[Tick, ...]:
    """At most five round times, in UTC."""
    step = next((s for s in TIME_STEPS if (ends - begins) / s <= MOST_TIMES), TIME_STEPS[-1])
    first = math.ceil(begins / step) * step
    pattern = "%H:%M:%S" if step < 60 else "%H:%M" if step < 43200 else "%d %b %H:%M"
    found = range(first, math.floor(ends) + 1, step)
    return tuple(Tick(float(at), f"{datetime.fromtimestamp(at, UTC):{pattern}}") for at in found)


def _alt(incident: Incident, names: Sequence[str], pools: Sequence[PoolChart], marks: Sequence[Mark]) -> str:
    parts = ["Chart of the queue over time, in UTC."]
    for name, drawn in zip(names, pools, strict=True):
        course = incident.pools.courses[name]
        known = [pair for stretch in segments(course, "queued") for pair in stretch]
        (first_at, first), (peak_at, peak), (last_at, last) = known[0], max(known, key=lambda p: p[1]), known[-1]
        begins, at_peak, ends = (clock(at, last_at - first_at) for at in (first_at, peak_at, last_at))
        parts.append(
            f"{drawn.pool}: {first:,.0f} jobs queued at {begins}, at most {peak:,.0f} at {at_peak}, "
            f"{last:,.0f} at {ends}."
        )
        runners = [p for p in course.points if p.online is not None]
        if runners:
            ceiling = f", limit {figure(runners[-1].limit)}" if runners[-1].limit is not None else ""
            parts.append(f"Runners: {runners[0].online:,} at first, {runners[-1].online:,} at last{ceiling}.")
        if drawn.depth.band:
            parts.append(f"{drawn.depth.band.label[:1].upper()}{drawn.depth.band.label[1:]}.")
    if marks:
        parts.append("Marks: " + ", ".join(f"{mark.label} {clock(mark.at)}" for mark in marks) + ".")
    return clipped(" ".join(parts), 1900)
