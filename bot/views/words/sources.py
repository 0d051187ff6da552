"""Which source gave what, how old it is, who contradicts whom, and for whom a drain waits."""

from collections.abc import Mapping, Sequence

from bot.core.pool.pool import Contradiction, Snapshot
from bot.core.signals.course import SignalCourse
from bot.core.signals.signal import Counts, Signal
from bot.core.words import clock, duration, listed
from bot.views.mrkdwn import Marked, date, say

OLD_SECONDS = 60.0
"""A smaller difference of age is none."""


def source_line(sample: Snapshot) -> str:
    """Which source gave which figures, if there are several sources or ages."""
    if len(sample.origins) < 2:
        return ""
    newest = max(origin.at for origin in sample.origins)
    lines = [
        f"{listed(origin.figures, len(origin.figures))} from {origin.source or 'its source'}"
        + (f" ({duration(newest - origin.at)} older)" if newest - origin.at >= 60 else "")
        for origin in sample.origins
    ]
    return f"{'; '.join(lines)}."


def signal_lines(sample: Snapshot) -> list[str]:
    """What is known of machines and services, a line for each source and age; what is unknown stands in the gaps."""
    known = [one for one in sample.signals if one.value is not None]
    groups: dict[tuple[str, float], list[Signal]] = {}
    for one in known:
        old = sample.at - one.at if one.at and sample.at - one.at >= OLD_SECONDS else 0.0
        groups.setdefault((one.source, old), []).append(one)
    return [
        f"{'; '.join(filter(None, (*map(_bad, found), _well(found))))}"
        f" (from {source}{f', {duration(old)} older' if old else ''})."
        for (source, old), found in groups.items()
    ]


def course_lines(courses: Sequence[SignalCourse]) -> tuple[str, ...]:
    """A line for each signal below a chart: its number with unit, source and time, and what it was first."""
    return tuple(f"{_now(one.signal)}{_before(one)}" for one in courses)


def _now(one: Signal) -> str:
    if one.value is None:
        return f"{one.name}: unknown ({one.why or 'no answer'})"
    reading = f"{one.value:,.0f}{of_all(one)} {one.unit or 'machine'}s in trouble"
    reading = _bad(one).removeprefix(f"{one.name} ") if one.counts is Counts.VALUE else reading
    where = ", ".join(filter(None, (one.source, f"{clock(one.at)} UTC" if one.at else "")))
    return f"{one.name}: {reading}" + (f" ({where})" if where else "")


def _before(course: SignalCourse) -> str:
    at, value = course.points[0] if course.points else (0.0, None)
    changed = value is not None and value != course.signal.value
    return f"; {value:,.4g} at {clock(at)} UTC" if changed else ""


def _bad(one: Signal) -> str:
    """A count of machines in trouble, or a number with its limit."""
    value = one.value or 0.0
    if one.counts is not Counts.VALUE:
        return f"{value:,.0f}{of_all(one)} {one.unit or 'machine'}s {one.says}" if value else ""
    limit = f"above {one.above:,.4g}" if one.above is not None else f"below {one.below:,.4g}"
    return f"{one.name} {value:,.4g}, in trouble {limit}"


def _well(found: list[Signal]) -> str:
    """What no machine is in trouble by."""
    fine = [one for one in found if one.counts is not Counts.VALUE and not one.value]
    return f"none in trouble: {listed((one.name for one in fine), 10)}" if fine else ""


def of_all(one: Signal) -> str:
    """Of how many machines, where that is known."""
    return "" if one.of is None else f" of {one.of:,}"


def disagreeing(pool: str, found: Sequence[Contradiction]) -> list[Marked]:
    """One line where they say clearly different queues: a reader cannot trust either."""
    queues = [
        ", ".join(f"{one.name} {one.number:,.0f}" for one in each.values) for each in found if each.figure == "queued"
    ]
    return [
        say("{pool}: the sources disagree about the queue: {queues}. Tailback uses the first.", pool=pool, queues=one)
        for one in queues
    ]


def waited_for(silent: Mapping[str, float]) -> list[Marked]:
    """A line for each source that has fallen silent; the time of its last queue, in epoch seconds."""
    return [
        say("{name} has not told the queue since {at}. A drain waits for it, 15 min at most.", name=one, at=date(at))
        for one, at in silent.items()
    ]


def unconfirmed(silent: Mapping[str, float]) -> list[Marked]:
    """The same in the last reply, when the drain has not waited longer."""
    return [say("{source} has not answered since {at}.", source=one, at=date(at)) for one, at in silent.items()]
