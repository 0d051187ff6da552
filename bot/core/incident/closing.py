"""The end of an incident in a few figures: how long, what peaked, why, what it cost in waiting, and what was done."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from bot.core.charts.chart_record import charting
from bot.core.charts.sparkline import spark_lines
from bot.core.forecast.outlook import LeftOut, Score
from bot.core.forecast.scoring import KEPT_SCORES, score_lines, waiting
from bot.core.incident.incident import Incident, State, noted
from bot.core.incident.reply_buttons import offering
from bot.core.incident.silence import UNSILENCE, holding, until_when
from bot.core.incident.timeline import Event
from bot.core.pool.pool import Pool, Snapshot
from bot.core.statement import Line, Statement, statement
from bot.core.words import count, duration, how_long

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


def likely_causes(incident: Incident) -> tuple[Statement, ...]:
    """The likeliest cause of each pool, the worst waits first."""
    worst = sorted(incident.courses.items(), key=lambda item: -item[1].waited_seconds)[:5]
    known = ((name, course.likeliest) for name, course in worst)
    return tuple(
        statement("likely_cause", pool=name, cause=one[0], samples=one[1], of=one[2]) for name, one in known if one
    )


def farewell(incident: Incident, now: float) -> tuple[Line, ...]:
    """Duration, cause, peaks, waiting, forecasts and the queue's way, as lines for the last reply."""
    peaks = [
        f"Peak of {pool}: {count(peak.queued, 'job')} queued, oldest wait {duration(peak.oldest_wait_seconds)}"
        for pool, peak in sorted(incident.peaks.items(), key=lambda item: item[1].order)
        if peak.queued
    ]
    done = any(entry.event in DEEDS for entry in incident.timeline)
    return (
        f"Lasted {how_long(now - incident.began_at, incident.speed)}",
        *likely_causes(incident),
        *peaks,
        *waited_lines(incident, now),
        *(() if done else ("Nobody scaled or silenced anything.",)),
        *score_lines(incident.scores, incident.speed),
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
    """The last entry of a closed incident, with its summary and, where enough was seen, its picture.

    A silence that outlasts the incident can be ended below it.
    """
    lines = (*farewell(incident, now), *silence_lines(incident, now))
    over = noted(incident, now, event, words, who=who, lines=lines, figures=figures, broadcast=who is None)
    if left := [silence for silence in holding(incident.silences, now) if not silence.until_drained]:
        over = offering(over, left[0].act, (UNSILENCE,))
    return charting(over) if spark_lines(over) else over


def silence_lines(incident: Incident, now: float) -> tuple[str, ...]:
    """What becomes of the silences that hold when the incident ends: nobody looks after the alert any more."""
    return tuple(
        "The silence until the queue has drained ends now"
        if silence.until_drained
        else f"The alert stays silenced {until_when(silence, now)}; say unsilence in this thread to end that sooner"
        for silence in holding(incident.silences, now)
    )


def resolved_by_hand(incident: Incident, who: str, now: float, scores: tuple[Score, ...] = ()) -> Incident:
    """Somebody closed the incident; that is respected until a new occurrence fires."""
    over = replace(incident, state=State.RESOLVED, changed_at=now, closed_at=now, scores=scores)
    return ended(over, now, Event.RESOLVED_BY_HAND, "closed this incident by hand.", who=who)


def scores_of(incident: Incident, pools: Mapping[str, Pool]) -> tuple[Score, ...]:
    """How the forecasts of this incident did, oldest first; they are the pools', made while the incident was open.

    A forecast is scored when the queue is at its floor: of one that was closed by hand before that they still wait.
    """
    until = math.inf if incident.closed_at is None else incident.closed_at
    known = [pools[name] for name in incident.affected if name in pools]
    mine = [score for pool in known for score in (*pool.scores, *waiting(pool))]
    since = [score for score in mine if incident.opened_at - 1 <= score.forecast.at <= until]
    return tuple(sorted(since, key=lambda score: score.forecast.at))[-KEPT_SCORES:]


def scored_later(incident: Incident, pools: Mapping[str, Pool]) -> Incident:
    """A closed incident with what its forecasts came to after its end: the pools were measured on, it stayed closed."""
    if not any(score.left_out is LeftOut.WAITING for score in incident.scores):
        return incident
    known = {(score.forecast.pool, score.forecast.at): score for score in scores_of(incident, pools)}
    scores = tuple(known.get((score.forecast.pool, score.forecast.at), score) for score in incident.scores)
    return replace(incident, scores=scores)
