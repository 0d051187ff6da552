"""The end of an incident in a few figures: how long, what peaked, why, what it cost in waiting, and what was done."""

from dataclasses import dataclass, replace

from bot.core.forecast import KEPT_SCORES, score_lines
from bot.core.incident import Incident, State, noted
from bot.core.outlook import Score
from bot.core.picture import charting
from bot.core.pool import Pool, Snapshot
from bot.core.sparkline import spark_lines
from bot.core.timeline import Event
from bot.core.words import count, duration

DEEDS = frozenset({Event.SCALED, Event.SILENCED, Event.UNSILENCED})


@dataclass(frozen=True, slots=True)
class Waited:
    """What one pool's queue cost."""

    pool: str
    hours: float
    """Developer-hours: each job that was seen to wait for an hour counts one; at least that many."""
    unmeasured: float
    """The part of the incident, 0 to 1, of which the queue is not known."""


def waits(incident: Incident, now: float) -> tuple[Waited, ...]:
    """By pool, the dearest first; a pool that was never measured is not among them."""
    length = max((incident.closed_at or now) - incident.began_at, 1.0)
    found = [
        Waited(name, course.waited_seconds / 3600, min(1.0, max(0.0, 1 - course.measured_seconds / length)))
        for name, course in incident.courses.items()
        if course.measured_seconds > 0
    ]
    return tuple(sorted(found, key=lambda waited: (-waited.hours, waited.pool)))


def waited_lines(incident: Incident, now: float) -> tuple[str, ...]:
    """The developer-hours waited, and what part of the time they leave out; empty when no pool queued."""
    if not incident.affected:
        return ()
    found = waits(incident, now)
    if not found:
        return ("Developer-hours waited: unknown, the queue was never measured",)
    each = "; ".join(f"{one.pool} {hours(one.hours)}" for one in found[:5]) if len(found) > 1 else found[0].pool
    more = f"; {count(len(found) - 5, 'more pool')}" if len(found) > 5 else ""
    unmeasured = sum(one.unmeasured for one in found) / len(found)
    blind = f", {unmeasured:.0%} of the time was not measured" if unmeasured >= 0.005 else ""
    never = len(incident.affected) - len(found)
    missing = f"; nothing was measured of {count(never, 'pool')}" if never > 0 else ""
    total = hours(sum(one.hours for one in found))
    return (f"Developer-hours waited: at least {total} ({each}{more}){blind}{missing}",)


def hours(number: float) -> str:
    """`0.4`, `31.5`, `1,240`."""
    if 0 < number < 0.05:
        return "under 0.1"
    return f"{number:,.1f}" if number < 100 else f"{number:,.0f}"


def cause_lines(incident: Incident) -> tuple[str, ...]:
    """The likeliest cause of each pool, the worst waits first."""
    lines = []
    for name, course in sorted(incident.courses.items(), key=lambda item: -item[1].waited_seconds)[:5]:
        if (likeliest := course.likeliest) is not None:
            cause, looks, of = likeliest
            often = f" ({looks:,} of {count(of, 'look')})" if looks < of else ""
            lines.append(f"Likely cause of {name}: {cause}{often}")
    return tuple(lines)


def farewell(incident: Incident, now: float) -> tuple[str, ...]:
    """Duration, cause, peaks, waiting, forecasts and the queue's way, as lines for the last reply."""
    peaks = [
        f"Peak of {pool}: {count(peak.queued, 'job')} queued, oldest wait {duration(peak.oldest_wait_seconds)}"
        for pool, peak in sorted(incident.peaks.items(), key=lambda item: -item[1].oldest_wait_seconds)
        if peak.queued
    ]
    done = any(entry.event in DEEDS for entry in incident.timeline)
    return (
        f"Lasted {duration(now - incident.began_at)}",
        *cause_lines(incident),
        *peaks,
        *waited_lines(incident, now),
        *(() if done else ("Nobody scaled or silenced anything.",)),
        *score_lines(incident.scores),
        *spark_lines(incident),
    )


def ended(  # noqa: PLR0913 - an entry's parts
    incident: Incident,
    now: float,
    event: Event,
    words: str,
    *,
    who: str | None = None,
    figures: tuple[Snapshot, ...] = (),
) -> Incident:
    """The last entry of a closed incident, with its summary and, where enough was seen, its picture."""
    lines = farewell(incident, now)
    over = noted(incident, now, event, words, who=who, lines=lines, figures=figures, broadcast=who is None)
    return charting(over) if spark_lines(over) else over


def resolved_by_hand(incident: Incident, who: str, now: float, scores: tuple[Score, ...] = ()) -> Incident:
    """Somebody closed the incident; that is respected until a new occurrence fires."""
    over = replace(incident, state=State.RESOLVED, changed_at=now, closed_at=now, scores=scores)
    return ended(over, now, Event.RESOLVED_BY_HAND, "closed this incident by hand.", who=who)


def scores_of(incident: Incident, pools: dict[str, Pool]) -> tuple[Score, ...]:
    """How the forecasts of this incident did, oldest first; they are the pools', made since the incident opened.

    A forecast is scored when the queue is at its floor: one that was closed by hand before that has none.
    """
    mine = [s for name in incident.affected if name in pools for s in pools[name].scores]
    since = [s for s in mine if s.forecast.at >= incident.opened_at - 1]
    return tuple(sorted(since, key=lambda score: score.forecast.at))[-KEPT_SCORES:]
