"""Measures one pool and updates its record."""

import asyncio
import contextlib
from dataclasses import replace

from bot.context.context import Context
from bot.core.pool.backfill import joined
from bot.core.pool.merge import SourceAnswer, holding_back, taken
from bot.core.pool.pool import Pool, Snapshot, fresh, unreadable
from bot.core.pool.retention import HELD_SECONDS
from bot.core.record import Change
from bot.ports import Answering, Metrics, Unreachable

LAPSED_SECONDS = 1800.0
"""After a gap this long the history is read again."""
NO_SOURCE = "no metrics source is configured for this pool"
NEEDS_RESTART = "Tailback must be restarted to measure this pool"


async def measure_now(context: Context, pool: Pool, *, recent: bool = False) -> Pool:
    """The pool's record after one more measurement; never raises, a failure is part of the record.

    Present figures come first. The history before them follows with this measurement, or wakes the pool. One that was
    measured in this period (`recent`) gets its history only, and stays the same while there is none.
    """
    now, lapsed = context.now(), pool.latest is None or context.now() - pool.latest.at > LAPSED_SECONDS
    source = context.metrics.get(pool.id)
    if source is None:
        table = context.settings.file.pool.get(pool.id)
        newer = table is not None and (table.metrics or table.figures)
        return unreadable(pool, NEEDS_RESTART if newer else NO_SOURCE, now)
    try:
        after = pool if recent else await look(context, source, pool, now)
    except Unreachable as error:
        return unreadable(pool, str(error), now)

    async def wake() -> None:
        with contextlib.suppress(Unreachable):
            await context.store.commit(Change(wake=(f"pool:{pool.id}",)))

    pending = lapsed or context.past.pending(pool.id)
    past = await context.past.read(source, pool.id, now, wake) if pending else ()
    return joined(after, past) if past else after


RECENT = 1.5
"""A sample counts as one of now for so many polls."""
PATIENCE_SECONDS = 4.0
"""How long a figure of now is worth waiting for; without it a sentence does without."""


async def sample_now(context: Context, name: str) -> Snapshot | None:
    """The pool now: a recent sample, else a new measurement; None if it fails, or has no current figures.

    The queue is unknown while one of its sources has fallen silent.
    """
    known, now, poll = await context.pool(name), context.now(), context.settings.file.timing.poll
    recent = known.latest is not None and abs(now - known.latest.at) <= RECENT * poll
    if not recent:
        if (source := context.metrics.get(name)) is None:
            return None
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                known = await look(context, source, known, now)
        except (Unreachable, TimeoutError):
            return None
    sample = known.latest if recent else fresh(known, now, poll)
    return replace(sample, queued=None) if sample and holding_back(known, now - HELD_SECONDS, now, poll) else sample


async def look(context: Context, source: Metrics, pool: Pool, now: float) -> Pool:
    """The pool's record with its figures of now, without its past. Raises Unreachable if no source gave anything."""
    if isinstance(source, Answering):
        answers = await source.answers(pool.id)
    else:
        answers = (SourceAnswer("", await source.snapshot(pool.id)),)
    file = context.settings.file
    return taken(pool, answers, now, file.paces.poll, file.rules_of(pool.id).floor)
