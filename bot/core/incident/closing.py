"""The end of an incident: its summary, last entry and scores."""

import math
from collections.abc import Mapping
from dataclasses import replace

from bot.core.forecast.scoring import KEPT_SCORES, score_summary, waiting
from bot.core.incident.details import events
from bot.core.incident.details.counterfactual import Counterfactual
from bot.core.incident.details.requests import RunnersCame, RunnersChecked, RunnersReturned, ScaleAccepted, ScaleRequest
from bot.core.incident.incident import Incident, State, noted
from bot.core.incident.pools import worst_peaks
from bot.core.incident.reply_buttons import offering, reopening_offered, story_of
from bot.core.incident.silence import UNSILENCE, goes_on, holding
from bot.core.incident.timeline import Entry, Event, Role
from bot.core.pool.outlook import Forecast, LeftOut, Score, Verdict
from bot.core.pool.pool import Pool, Snapshot

MOST_POOLS = 5
"""Pools with a cause in the summary."""


def waits(incident: Incident, now: float) -> tuple[events.Waited, ...]:
    """By pool, the most waiting first; unmeasured pools are absent."""
    length = max(incident.lasted(incident.closed_at or now), 1.0)
    found = [
        events.Waited(name, series.waited_seconds / 3600, min(1.0, max(0.0, 1 - series.measured_seconds / length)))
        for name, series in incident.pools.courses.items()
        if series.measured_seconds > 0
    ]
    return tuple(sorted(found, key=lambda waited: (-waited.hours, waited.pool)))


def likely_causes(incident: Incident) -> tuple[events.LikelyCause, ...]:
    """The likeliest cause of each pool, the worst waits first."""
    worst = sorted(incident.pools.courses.items(), key=lambda item: -item[1].waited_seconds)[:MOST_POOLS]
    return tuple(events.LikelyCause(name, *series.likeliest) for name, series in worst if series.likeliest is not None)


def summary(incident: Incident, now: float) -> events.ClosingSummary:
    """The summary for the last reply: duration, causes, peaks, waiting, forecasts and the queue."""
    added = runners_added(incident, now)
    return events.ClosingSummary(
        incident.lasted(now),
        likely_causes(incident),
        tuple(
            events.PoolPeak(pool, peak.queued, peak.oldest_wait_seconds)
            for pool in worst_peaks(incident.pools.peaks, incident.pools.peaks)
            if (peak := incident.pools.peaks[pool]).queued
        ),
        len(incident.pools.affected),
        waits(incident, now) if incident.pools.affected else (),
        any(Role.MITIGATES in entry.event.roles for entry in incident.log.timeline),
        score_summary(incident.pools.scores),
        tuple(goes_on(silence, now) for silence in holding(incident.silences, now)),
        without_runners(incident, now) if added else None,
        added,
    )


def runners_added(incident: Incident, now: float) -> tuple[events.RunnersAdded, ...]:
    """By person and pool, in order; those that are not back yet count until the lease returns them.

    A change that waited for a merge may have come at any time, so it is left out.
    """
    found: dict[tuple[str | None, str], events.RunnersAdded] = {}
    for entry in incident.log.timeline:
        up = entry.details
        if not isinstance(up, ScaleAccepted) or up.before is None or up.pending:
            continue
        later = story_of(incident, entry)
        checked = next((one.details for one in reversed(later) if isinstance(one.details, RunnersChecked)), None)
        back = next((one.at for one in later if isinstance(one.details, RunnersReturned)), None)
        runners = up.target - up.before
        if checked is None and back is not None and back - entry.at < up.checked_within_seconds:  # undone early
            runners = min(runners, _registered(incident, entry))
        elif checked is not None and checked.came in {RunnersCame.PARTLY, RunnersCame.NO_EFFECT}:
            runners = max(0, checked.more)
        stays = 0.0 if up.lease.seconds is None else up.lease.drained_seconds
        hours = ((back or now + stays) - entry.at) / 3600
        if runners <= 0:
            continue
        before = found.get((entry.who, up.pool))
        cost = None if up.price is None else up.price.an_hour(runners) * hours
        if before is not None:
            runners, cost = runners + before.runners, None if cost is None else cost + (before.cost or 0.0)
        found[entry.who, up.pool] = events.RunnersAdded(entry.who, up.pool, runners, cost, up.currency)
    return tuple(found.values())


def _registered(incident: Incident, entry: Entry) -> int:
    """Runners that had come online for the request of an entry, as far as anybody measured."""
    known = (one.details for one in incident.log.timeline if one.request == entry.request)
    return max((one.registered or 0 for one in known if isinstance(one, ScaleRequest)), default=0)


def without_runners(incident: Incident, now: float) -> Counterfactual | None:
    """What the walk of the first scale-up said of the queue without it, beside the end; None without one.

    A scale-up that waited for a merge may have come at any time, so nothing is concluded from it.
    """
    ups = [(one, one.details) for one in incident.log.timeline if isinstance(one.details, ScaleAccepted)]
    if not ups or ups[0][1].pending:
        return None
    first, pool = ups[0][0], ups[0][1].pool
    helped = _helped(incident, first.at, ups[0][1], incident.closed_at or now) if len(ups) == 1 else None
    up, took = ups[0][1], (incident.closed_at or now) - first.at
    if up.without_seed is None and pool in incident.pools.courses:
        return None  # it was measured, and was within normal then
    return Counterfactual(
        pool, helped=helped, took_seconds=took, without_low_seconds=up.without_low_seconds,
        without_mid_seconds=up.without_mid_seconds, without_high_seconds=up.without_high_seconds,
        without_seed=up.without_seed,
    )  # fmt: skip


def _helped(incident: Incident, at: float, up: ScaleAccepted, ended_at: float) -> Score | None:
    """The forecast with the extra runners, scored by the drain like every other one."""
    if incident.state is not State.DRAINED or up.low_seconds is None or up.high_seconds is None:
        return None
    made = Forecast(at, Verdict.INTERVAL, None, up.low_seconds, None, up.high_seconds, pool=up.pool)
    took = ended_at - at
    return Score(made, took, held=up.low_seconds <= took <= up.high_seconds)


def ended(  # noqa: PLR0913 - an ending's parts, named at every call
    incident: Incident,
    now: float,
    how: events.IncidentEnding,
    *,
    who: str | None = None,
    samples: int = 0,
    still_firing: bool = False,
    figures: tuple[Snapshot, ...] = (),
    pools: tuple[str, ...] | None = None,
    unconfirmed: Mapping[str, float] | None = None,
) -> Incident:
    """The last entry of a closed incident, with its summary; without `pools` it names those that were judged.

    A silence that outlasts the incident can be ended from it.
    """
    names = incident.pools.judged if pools is None else pools
    silent = incident.group.silent
    details = events.IncidentEnded(how, summary(incident, now), names, samples, still_firing, silent, unconfirmed or {})
    event = Event.RESOLVED_BY_HAND if how is events.IncidentEnding.CLOSED else Event.DRAINED
    over = noted(incident, now, event, details, who=who, figures=figures, broadcast=who is None)
    if left := [silence for silence in holding(incident.silences, now) if not silence.until_drained]:
        over = offering(over, left[0].act, (UNSILENCE,))
    return over


def resolved_by_hand(
    incident: Incident, who: str, now: float, scores: tuple[Score, ...] = (), request: str = ""
) -> Incident:
    """Somebody closed the incident; it stays closed until a new occurrence fires, or the `request` is taken back."""
    pools = replace(incident.pools, scores=scores)
    over = replace(incident, state=State.RESOLVED, changed_at=now, closed_at=now, pools=pools)
    return reopening_offered(ended(over, now, events.IncidentEnding.CLOSED, who=who), request)


def scores_of(incident: Incident, pools: Mapping[str, Pool]) -> tuple[Score, ...]:
    """The scores of this incident's forecasts, oldest first, from its pools.

    A forecast is scored when the queue reaches its floor; after a close by hand it still waits for that.
    """
    until = math.inf if incident.closed_at is None else incident.closed_at
    known = [pools[name] for name in incident.pools.affected if name in pools]
    mine = [score for pool in known for score in (*pool.scores, *waiting(pool))]
    since = [score for score in mine if incident.opened_at - 1 <= score.forecast.at <= until]
    return tuple(sorted(since, key=lambda score: score.forecast.at))[-KEPT_SCORES:]


def scored_later(incident: Incident, pools: Mapping[str, Pool]) -> Incident:
    """A closed incident with scores that came after its end."""
    if not any(score.left_out is LeftOut.WAITING for score in incident.pools.scores):
        return incident
    known = {(score.forecast.pool, score.forecast.at): score for score in scores_of(incident, pools)}
    scores = tuple(known.get((score.forecast.pool, score.forecast.at), score) for score in incident.pools.scores)
    return replace(incident, pools=replace(incident.pools, scores=scores))
