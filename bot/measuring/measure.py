"""Measures a due pool once for all its incidents, its history and its early warning."""

import contextlib
from collections.abc import Iterable
from dataclasses import replace

from bot.context.causes import moment_of, told_by_cause
from bot.context.context import Context
from bot.context.fleet import FEW, next_turn, undisturbed
from bot.context.forecast_inputs import inputs_of, reach_of
from bot.context.measure_now import measure_now
from bot.context.take_kinds import apart, with_usual
from bot.core.alert import Kind
from bot.core.forecast.evaluate_warning import KEPT_FIRED, LONGEST_SECONDS, Measurement, advanced, expected, thresholds
from bot.core.forecast.forecast import looked_ahead
from bot.core.forecast.scoring import POOLED_STEP, calibration, drop_scaled, drop_unmeasured, score_due
from bot.core.incident.incident import Incident
from bot.core.pool.backfill import Backfill
from bot.core.pool.baseline import first_hour
from bot.core.pool.history import KEPT_SECONDS, HourStats, PoolHistory, finished, last_day, remembered, usual_ahead
from bot.core.pool.hour_stats import Fired
from bot.core.pool.merge import holding_back
from bot.core.pool.outlook import NOTHING, PooledCalibration
from bot.core.pool.pool import Pool, PoolRules, drained
from bot.core.pool.retention import HELD_SECONDS
from bot.core.pool.steady_forecast import steadied
from bot.core.ranking.worst_first import worst_first
from bot.core.record import Change, Claim, Conflict, Put, Stored
from bot.core.requests.request import Progress, Request
from bot.core.words import listed

FORGOTTEN_SECONDS = 86400.0
"""A pool that is no longer measured is deleted after this."""
SCORES_SECONDS = 30 * 86400.0
ALL_POOLS, POOLED_SECONDS = "all", 180 * 86400.0
MISSED_SECONDS = 60.0
"""A pool overdue by this much was lost from the queue."""
EARLY = 0.9
"""Share of a poll period before which a pool is not measured again."""
SOON_SECONDS = 1.0
"""Origin: judgement; a pool whose turn is so near is measured now."""
NEAR_SECONDS = 150.0
"""Samples further from an incident's opening do not show the pool's state at its alert."""
OVERLAP_SECONDS = 30.0
"""History filled in within this time before a measurement may not have been read by it."""


async def measure(context: Context, claim: Claim) -> None:
    """Measure while an open incident needs the pool, and otherwise at `timing.watch`; then wake the incidents.

    A pool that was just measured is not measured again for another incident, which is only woken. A finished hour joins
    the pool's history in the same commit.
    """
    mine = claim.of(Pool)
    pool = mine.value
    watchers = tuple(sorted(await context.store.members(f"watch:{claim.id}")))
    pace = _pace(context, claim.id, watched=bool(watchers))
    if not pace:
        context.past.drop(claim.id)
        await context.store.commit(Change(puts=(_left_alone(mine),)))
        return
    place = None if watchers else context.fleet.place(context.settings.file, claim.id)
    recent = _recent(context, pool, pace if place is None else pace / 2)
    if not recent and (turn := _first_turn(context, pace, place)) > context.now() + SOON_SECONDS:
        await context.store.commit(Change(puts=(Put(mine, pool, turn),)))
        return
    with_jobs, jobs = await with_usual(context, pool, await measure_now(context, pool, recent=recent))
    looked = apart(with_jobs)
    after, over = remembered(pool, looked)
    after, past = await _in_the_past(context, pool, after, over)
    after = replace(await _looked_back(context, after), reach=reach_of(context, pool.id))
    # without an incident there are no new forecasts; open ones still wait for the drain
    after = await _ahead(context, after) if watchers else replace(after, outlook=None)
    after = replace(after, steady=steadied(pool.steady, after.outlook))
    after = await _warned(context, after, watchers, fresh=after.latest != pool.latest)
    news = looked is not pool and not _no_news(context, pool, after)
    wake = tuple(f"inc:{incident}" for incident in watchers if news or incident not in pool.watchers)
    if after.early.current != pool.early.current or after.early.standing:
        wake = (*wake, f"early:{claim.id}")
    due = next_turn(min(after.tried_at, context.now()), pace, place)
    change = Change(puts=(Put(mine, after, due), *past, *jobs), wake=wake)
    try:
        await context.store.commit(change)
    except Conflict:
        if not past:
            raise
        _, again = await _written(context, claim.id, over)  # the weeks before were being filled in at this moment
        await context.store.commit(replace(change, puts=(change.puts[0], again, *jobs)))
    await _learn(context, pool, after)


def _left_alone(held: Stored[Pool]) -> Put:
    """A pool that is not measured any more: its forecasts stay unscored, and what was learnt is kept for a month."""
    pool = held.value
    known = pool.scores or pool.fired
    rested = replace(drop_unmeasured(pool), outlook=None, watchers=(), early=replace(pool.early, streak=0))
    return Put(held, rested, None, keep_seconds=SCORES_SECONDS if known else FORGOTTEN_SECONDS)


def _recent(context: Context, pool: Pool, pace: float) -> bool:
    """Whether it was measured in this period."""
    return bool(pool.tried_at) and 0.0 <= context.now() - pool.tried_at < pace * EARLY


def _first_turn(context: Context, pace: float, place: float | None) -> float:
    """When a pool is measured first after a start or a gap: all of a large fleet in a watch period, not in a second."""
    return 0.0 if place is None else next_turn(context.health.resumed_at - pace / 2, pace, place)


def _no_news(context: Context, before: Pool, after: Pool) -> bool:
    """Whether no incident needs to hear of a measurement at once; each looks at its pools in every poll anyway."""
    file = context.settings.file
    fine = undisturbed(before, after, file.rules_of(after.id).floor, file.timing.drained_samples)
    return fine and len(file.pool) > FEW


def _pace(context: Context, name: str, *, watched: bool) -> float:
    """Seconds between two measurements; 0 if none are needed."""
    paces = context.settings.file.paces
    if watched:
        return paces.poll
    return paces.watch if name in context.settings.file.pool and name in context.metrics else 0.0


async def wake_pools(context: Context) -> str:
    """Wake configured pools that were not measured for a while; gives which ones had no figures the last time."""
    paces, names = context.settings.file.paces, [name for name in context.settings.file.pool if name in context.metrics]
    if not paces.watch:
        return ""
    held = await context.store.get_many(Pool, names, newest=True)
    late = 2 * paces.watch + MISSED_SECONDS
    idle = [name for name in names if name not in held or abs(context.now() - held[name].value.tried_at) > late]
    if idle:
        await context.store.commit(Change(wake=tuple(f"pool:{name}" for name in idle)))
    blind = {name: one.value.trouble for name, one in held.items() if one.value.trouble}
    return f"no figures for {listed(blind, 3)}. {next(iter(blind.values()))}" if blind else ""


async def _in_the_past(
    context: Context, before: Pool, after: Pool, over: tuple[HourStats, ...]
) -> tuple[Pool, tuple[Put, ...]]:
    """(the pool with expectations for the new hour, the history to write or None).

    The history is read and written once an hour, and after it was filled in. The last day ends before the trouble.
    """
    if after.hour is None:
        return after, ()
    if before.hour is not None and before.hour.hour == after.hour.hour:
        none = any(one.weeks for one in before.ahead) or not context.settings.file.timing.backfill
        fill = None if none else await context.store.get(Backfill, before.id)
        if fill is None or fill.value.filled_at < before.tried_at - OVERLAP_SECONDS:
            return after, ()
    past, put = await _written(context, after.id, over)
    rules = context.settings.file.rules_of(after.id)
    day = last_day(past, first_hour(after.samples, rules.normal_wait_seconds))
    return replace(after, ahead=usual_ahead(past, after.hour.hour), day=day), (put,) if over else ()


async def _written(context: Context, name: str, over: tuple[HourStats, ...]) -> tuple[PoolHistory, Put]:
    """(the history with finished hours, the write for it)."""
    held = await context.store.get(PoolHistory, name) or Stored(PoolHistory(name), 0)
    past = finished(held.value, over)
    return past, Put(held, past, None, keep_seconds=KEPT_SECONDS)


async def _ahead(context: Context, pool: Pool) -> Pool:
    file, pooled = context.settings.file, await context.store.get(PooledCalibration, ALL_POOLS)
    pool = replace(pool, calibration=calibration(pool.scores, pooled.value.known if pooled else None))
    rules = file.rules_of(pool.id)
    moment = moment_of(context.now(), file.paces)
    by_cause = told_by_cause(pool, rules, moment) if queues(pool, rules) else NOTHING
    return looked_ahead(pool, rules, file.paces.report, inputs_of(pool, by_cause))


def queues(pool: Pool, rules: PoolRules) -> bool:
    """Whether there is a queue to forecast: none at the floor, or of normal waits."""
    return pool.trouble is None and pool.latest is not None and drained(pool.latest, rules) is False


async def _learn(context: Context, before: Pool, after: Pool) -> None:
    """Let all pools learn from new scores; when two pools drain at the same moment, one of them teaches nothing."""
    came = [score for score in after.scores if score not in before.scores]
    if all(score.left_out for score in came):
        return
    held = await context.store.get(PooledCalibration, ALL_POOLS) or Stored(PooledCalibration(ALL_POOLS), 0)
    known = held.value.known
    learnt = calibration(came, known, POOLED_STEP)
    value = replace(held.value, known=replace(learnt, scored=known.scored + learnt.scored))
    with contextlib.suppress(Conflict):
        await context.store.commit(Change(puts=(Put(held, value, None, keep_seconds=POOLED_SECONDS),)))


async def _looked_back(context: Context, pool: Pool) -> Pool:
    """Score past forecasts; those from before somebody scaled the pool are not scored."""
    if pool.forecasts:
        scaled = await last_scaled(context, pool)
        pool = drop_scaled(pool, scaled.sent_at if scaled else None)
    return score_due(pool, context.settings.file.rules_of(pool.id))


async def _warned(context: Context, pool: Pool, watchers: tuple[str, ...], *, fresh: bool) -> Pool:
    """The record with newly fired alerts, and with its early warning advanced."""
    file, before = context.settings.file, pool.watchers
    fired = await _fired(context, pool, [name for name in watchers if name not in before])
    pool = replace(pool, watchers=watchers, fired=(*pool.fired, *fired)[-KEPT_FIRED:])
    episode = pool.early.current if pool.early.standing else None
    overdue = episode is not None and context.now() - episode.began_at >= LONGEST_SECONDS
    if pool.latest is None or not (fresh or overdue or watchers != before):
        return pool  # an old sample says nothing new; silence of a source is no recovery
    rules = file.rules_of(pool.id)
    limits = thresholds(rules, pool.fired) if file.early.enabled else ()
    sample, poll = pool.latest, file.timing.poll
    if holding_back(pool, context.now() - HELD_SECONDS, context.now(), poll):
        sample = replace(sample, queued=None, oldest_wait_seconds=None)
    coming = expected(pool.samples, rules, limits, pool.ahead) if limits and not watchers else ()
    newest = fired[-1].incident if fired else ""
    scaled = await last_scaled(context, pool) if pool.early.standing else None
    seen = Measurement(context.now(), sample, limits, coming, watchers, newest)
    if scaled is not None:
        seen = replace(seen, scaled_at=scaled.sent_at, scaled_by=scaled.who)
    return replace(pool, early=advanced(pool.early, seen))


async def last_scaled(context: Context, pool: Pool) -> Request | None:
    """The request by which somebody last scaled the pool."""
    request_id = await context.store.find(f"scaled:{context.lease_key(pool.id)}")
    request = await context.request(request_id) if request_id else None
    real = request is not None and not request.shadow and (request.doubtful or request.progress is not Progress.FAILED)
    return request if real else None


async def _fired(context: Context, pool: Pool, names: list[str]) -> tuple[Fired, ...]:
    """The new incidents whose alert fired for this pool, and its figures then."""
    known = {one.incident for one in pool.fired}
    held = await context.store.get_many(Incident, [name for name in names if name not in known])
    found = []
    for name, one in held.items():
        incident = one.value
        near = [s for s in pool.samples if abs(s.at - incident.opened_at) <= NEAR_SECONDS]
        if near and incident.group.kind is Kind.QUEUE and await _speaks_of(context, incident, pool):
            stood = min(near, key=lambda sample: abs(sample.at - incident.opened_at))
            channel = incident.thread.instead_of or incident.thread.channel
            found.append(Fired(name, incident.opened_at, stood.queued, stood.oldest_wait_seconds, channel))
    return tuple(found)


async def _speaks_of(context: Context, incident: Incident, pool: Pool) -> bool:
    """Whether the alert is about this pool; one over all pools fired for the one with the longest wait."""
    if len(incident.pools.candidates) == 1 or set(incident.pools.affected) == set(incident.pools.candidates):
        return True
    others = [name for name in incident.pools.candidates if name != pool.id]
    if len(others) < FEW:
        return _is_worst(pool, (await context.pools(others)).values())
    if incident.id not in context.fleet.spoken:  # decided once, not once for each of the pools
        beside = await context.beside({pool.id})
        latest = [one.latest for name, one in beside.items() if name in others and one.latest]
        worst = worst_first([*latest, *pool.samples[-1:]])
        context.fleet.speaks(incident.id, worst[0].pool if worst and worst[0].queued else "")
    return context.fleet.spoken[incident.id] == pool.id


def _is_worst(pool: Pool, others: Iterable[Pool]) -> bool:
    worst = worst_first([one.latest for one in (*others, pool) if one.latest is not None])
    return bool(worst) and worst[0].pool == pool.id and bool(worst[0].queued)
