"""Measures one pool and updates its record."""

from dataclasses import replace

from bot.context.context import Context
from bot.core.pool.pool import Pool, joined, measured, unreadable
from bot.ports import Unreachable

LAPSED_SECONDS = 1800.0
"""After a gap this long the history is read again."""


async def look(context: Context, pool: Pool) -> Pool:
    """The pool's record after one more measurement; never raises, a failure is part of the record.

    Present figures come first. The history before them follows with this measurement, or with a later one.
    """
    now, lapsed = context.now(), pool.latest is None or context.now() - pool.latest.at > LAPSED_SECONDS
    source = context.metrics.get(pool.id)
    if source is None:
        return unreadable(pool, "no metrics source is configured for this pool", now)
    try:
        after = replace(measured(pool, await source.snapshot(pool.id)), tried_at=now)
    except Unreachable as error:
        return unreadable(pool, str(error), now)
    if lapsed or context.past.pending(pool.id):
        return joined(after, await context.past.read(source, pool.id, now))
    return after
