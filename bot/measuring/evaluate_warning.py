"""After each measurement: updates a pool's learnt thresholds and its early warning."""

from dataclasses import replace

from bot.context.context import Context
from bot.core.alert import Kind
from bot.core.forecast.evaluate_warning import KEPT_FIRED, LONGEST_SECONDS, Measurement, advanced, expected, thresholds
from bot.core.incident.incident import Incident
from bot.core.pool.hour_stats import Fired
from bot.core.pool.pool import Pool, worst_first
from bot.core.requests.request import Progress

NEAR_SECONDS = 150.0
"""Samples further from an incident's opening do not show the pool's state at its alert."""


async def with_warning(context: Context, pool: Pool, watchers: tuple[str, ...], *, fresh: bool) -> Pool:
    """The record with newly fired alerts, and with its early warning advanced."""
    file, before = context.settings.file, pool.watchers
    fired = await _fired(context, pool, [name for name in watchers if name not in before])
    pool = replace(pool, watchers=watchers, fired=(*pool.fired, *fired)[-KEPT_FIRED:])
    episode = pool.early.episode if pool.early.standing else None
    overdue = episode is not None and context.now() - episode.began_at >= LONGEST_SECONDS
    if pool.latest is None or not (fresh or overdue or watchers != before):
        return pool  # an old sample says nothing new; silence of a source is no recovery
    rules = file.rules_of(pool.id)
    limits = thresholds(rules, pool.fired) if file.early.enabled else ()
    sample = pool.latest
    coming = expected(pool.samples, rules, limits, pool.ahead) if limits and not watchers else ()
    newest = fired[-1].incident if fired else ""
    scaled = await scaled_at(context, pool) if pool.early.standing else None
    seen = Measurement(context.now(), sample, limits, coming, watchers, newest, scaled)
    return replace(pool, early=advanced(pool.early, seen))


async def scaled_at(context: Context, pool: Pool) -> float | None:
    """When somebody last scaled the pool (epoch seconds)."""
    request_id = await context.store.find(f"scaled:{pool.id}")
    request = await context.request(request_id) if request_id else None
    real = request is not None and not request.shadow and (request.doubtful or request.progress is not Progress.FAILED)
    return request.sent_at if request is not None and real else None


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
    others = await context.store.get_many(Pool, [name for name in incident.pools.candidates if name != pool.id])
    latest = [one.value.latest for one in others.values()] + [pool.latest]
    worst = worst_first([sample for sample in latest if sample is not None])
    return bool(worst) and worst[0].pool == pool.id and bool(worst[0].queued)
