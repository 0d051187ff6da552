"""A pool is due: one measurement serves every incident that names it."""

from dataclasses import replace

from bot.core.forecast import looked_ahead, touched
from bot.core.pool import Pool, PoolRules, measured, unreadable
from bot.core.record import Change, Claim, Held, Put
from bot.desk import Desk
from bot.ports import Unreachable

PAST_SECONDS = 1800.0
"""How much of a pool's past an incident starts with, where the source has one."""
FORGOTTEN_SECONDS = 86400.0
"""A pool that no incident watches is forgotten after a day."""
SCORES_SECONDS = 30 * 86400.0
KEPT_UNWATCHED = 60
"""Samples kept with a record that stays for its scores."""
EARLY = 0.9
"""The part of a poll period before which a pool is not measured again."""


async def measure(desk: Desk, claim: Claim) -> None:
    """Measure while any open incident watches the pool, then stop; incidents that watch it are looked at next.

    A pool that was measured a moment ago is not measured again for one more incident: that one is only woken.
    """
    held = claim.held
    pool = held.value if held is not None and isinstance(held.value, Pool) else Pool(claim.id)
    mine = Held(pool, held.version if held else 0, claim.fence, None, claim.lease_ends)
    watchers = await desk.store.members(f"watch:{claim.id}")
    if not watchers:
        await desk.store.commit(Change(puts=(_rested(mine),)))
        return
    poll = desk.settings.file.paces.poll
    recent = pool.tried_at and desk.now() - pool.tried_at < poll * EARLY
    after = pool if recent else await _ahead(desk, await look(desk, pool))
    wake = tuple(f"inc:{incident}" for incident in sorted(watchers))
    await desk.store.commit(Change(puts=(Put(mine, after, after.tried_at + poll),), wake=wake))


def _rested(mine: Held[Pool]) -> Put:
    """Nobody watches, so what was foretold is compared with nothing; how past forecasts did stays for a month."""
    pool = replace(mine.value, outlook=None, forecasts=())
    if not pool.scores:
        return Put(mine, pool, None, keep_seconds=FORGOTTEN_SECONDS)
    return Put(mine, replace(pool, samples=pool.samples[-KEPT_UNWATCHED:]), None, keep_seconds=SCORES_SECONDS)


async def _ahead(desk: Desk, pool: Pool) -> Pool:
    """The record with its forecast; what was foretold before somebody scaled the pool is not held against it."""
    rules, paces = desk.settings.file.pools.get(pool.id, PoolRules(pool.id)), desk.settings.file.paces
    if pool.forecasts and (act_id := await desk.store.find(f"scaled:{pool.id}")) is not None:
        act = await desk.act(act_id)
        pool = touched(pool, act.sent_at if act else None)
    return looked_ahead(pool, rules, paces.report, paces.speed)


async def look(desk: Desk, pool: Pool) -> Pool:
    """The pool's record after one more look at its source; never raises, a failure is part of the record."""
    now = desk.now()
    source = desk.metrics.get(pool.id)
    if source is None:
        return unreadable(pool, "no metrics source is configured for this pool", now)
    try:
        if pool.latest is None or now - pool.latest.at > PAST_SECONDS:
            past = await source.history(pool.id, now - PAST_SECONDS, now - 1, PAST_SECONDS / 60)
            for sample in past:
                pool = measured(pool, sample)
        return replace(measured(pool, await source.snapshot(pool.id)), tried_at=now)
    except Unreachable as error:
        return unreadable(pool, str(error), now)
