"""Measures one pool and updates its record."""

from dataclasses import replace

from bot.context.context import Context
from bot.core.pool.pool import Pool, measured, unreadable
from bot.ports import Unreachable

PAST_SECONDS = 7200.0
"""History that an incident starts with, if the source has it; in fleet time.

An alert fires when a job has waited for half an hour. The time before shows the usual state.
"""
STEPS = 120
"""Samples of that history."""
LAPSED_SECONDS = 1800.0
"""After a gap this long the history is read again."""


async def look(context: Context, pool: Pool) -> Pool:
    """The pool's record after one more measurement; never raises, a failure is part of the record."""
    now = context.now()
    source = context.metrics.get(pool.id)
    if source is None:
        return unreadable(pool, "no metrics source is configured for this pool", now)
    try:
        if pool.latest is None or now - pool.latest.at > LAPSED_SECONDS:
            past = await source.history(pool.id, now - PAST_SECONDS, now - 1, PAST_SECONDS / STEPS)
            for sample in past:
                pool = measured(pool, sample)
        return replace(measured(pool, await source.snapshot(pool.id)), tried_at=now)
    except Unreachable as error:
        return unreadable(pool, str(error), now)
