"""Fills gaps of a pool's history from its source, some days at a time, once, in the order of need.

It has its own record, so that measurements and incidents do not wait for it.
"""

import asyncio
from collections.abc import Collection
from dataclasses import replace

import structlog

from bot.context.context import Context
from bot.context.save import point
from bot.core.pool.backfill import (
    DAY_HOURS,
    LEFT,
    STEP_SECONDS,
    Backfill,
    answered,
    date,
    failed,
    hours_of,
    lacking,
    newest_day,
    next_day_at,
    next_days,
    planned,
    recent,
    span_of,
)
from bot.core.pool.history import KEPT_SECONDS, PoolHistory, finished, known_hours
from bot.core.pool.hour_stats import HourStats
from bot.core.record import Change, Claim, Conflict, Put, Stored
from bot.ports import Unreachable

TURN_SECONDS = 3.0
"""Shortest time between two requests, for all pools of the installation together: two weeks of 500 pools in 50 min."""
LATE_SECONDS = 600.0
"""A record overdue by this much was lost from the queue."""
SAFETY_SECONDS = 0.5
"""Nothing is requested in the last moments of a lease."""
EARLY_SECONDS = 1.0
TRIES = 5

log = structlog.get_logger()


async def backfill(context: Context, claim: Claim) -> None:
    """Do a pool's next step: find missing days, request one, or wait for the next day."""
    mine = claim.of(Backfill)
    fill, reach, now = mine.value, context.settings.file.timing.backfill, context.now()
    due: float | None = None
    if reach and claim.id in pools_with_source(context):
        anew = (fill.newest, fill.reach_seconds) != (newest_day(now), reach)
        if anew:
            held = await context.store.get(PoolHistory, fill.id)
            fill = planned(fill, held.value if held else PoolHistory(fill.id), now, reach)
        if anew or fill.continue_at <= now + EARLY_SECONDS:
            wait = next_day_at(now) - now
            if fill.days:
                wait = await _turn(context, fill)
            if wait <= 0:
                await _ask(context, mine, fill)
                return
            fill = replace(fill, continue_at=now + wait)
        due = fill.continue_at
    await context.store.commit(Change(puts=(Put(mine, fill, due, keep_seconds=KEPT_SECONDS),)))


async def _turn(context: Context, fill: Backfill) -> float:
    """Seconds until its turn: pools of open incidents at once, then the last two weeks of all pools, then the rest."""
    if await context.store.members(f"watch:{fill.id}"):
        return 0.0
    return await context.store.acquire_slot("history", f"fill:{fill.id}", TURN_SECONDS, 1, urgent=recent(fill))


def pools_with_source(context: Context) -> list[str]:
    return [name for name in context.settings.file.pool if name in context.metrics]


async def wake_fills(context: Context) -> None:
    """Wake pools whose history was not checked for a day, or since the setting changed."""
    reach, names = context.settings.file.timing.backfill, pools_with_source(context)
    if not reach:
        return
    held = await context.store.get_many(Backfill, names)
    records, since = {name: one.value for name, one in held.items()}, context.now() - LATE_SECONDS
    current = {name for name, one in records.items() if one.continue_at >= since and one.reach_seconds == reach}
    left = [len(one.days) for one in records.values() if one.days]
    for index, number in zip(LEFT, (sum(left), len(left)), strict=True):
        await point(context, [index], str(number))
    late = [name for name in names if name not in current]
    if late:
        await context.store.commit(Change(wake=tuple(f"fill:{name}" for name in late)))


async def _ask(context: Context, mine: Stored[Backfill], fill: Backfill) -> None:
    """Request some days of one pool; a source that does not answer in time is asked for one, and again later."""
    days = next_days(fill)
    since, until = span_of(days[0], days[-1])
    try:
        async with asyncio.timeout(mine.lease_ends - SAFETY_SECONDS - context.monotonic()):
            samples = await context.metrics[fill.id].history(fill.id, since, until, STEP_SECONDS)
    except (Unreachable, TimeoutError) as error:
        why = str(error) or "no answer while the record was ours"
        log.warning("past not filled in", pool=fill.id, day=date(days[0]), days=len(days), why=why, repeats="why")
        fill = failed(fill, context.now())
        await context.store.commit(Change(puts=(Put(mine, fill, fill.continue_at, keep_seconds=KEPT_SECONDS),)))
        return
    cells = hours_of(days, samples)
    known = {cell.hour // DAY_HOURS for cell in cells}
    for day in days:
        fill = answered(fill, day, known=day in known)
    fill = replace(fill, continue_at=context.now())
    hours = await _stored_hours(context, mine, fill, days, cells)
    if hours or not fill.days:  # a source without a past has an empty answer for each of six weeks
        log.info("past asked for", pool=fill.id, day=date(days[0]), hours=hours, days_left=len(fill.days))


async def _stored_hours(
    context: Context, mine: Stored[Backfill], fill: Backfill, days: Collection[int], cells: tuple[HourStats, ...]
) -> int:
    """Write missing hours only; returns their number. Raises Conflict.

    The pool's measurement may write its history at the same time; then it is read again.
    """
    for _ in range(TRIES):
        held = await context.store.get(PoolHistory, fill.id) or Stored(PoolHistory(fill.id), 0)
        there = known_hours(held.value)
        gaps = {hour for day in days for hour in lacking(day, there)}
        new = tuple(cell for cell in cells if cell.hour in gaps)
        after = replace(fill, filled_at=context.now()) if new else fill
        put = Put(mine, after, fill.continue_at, keep_seconds=KEPT_SECONDS)
        past = (Put(held, finished(held.value, new), None, keep_seconds=KEPT_SECONDS),) if new else ()
        try:
            await context.store.commit(Change(puts=(put, *past)))
        except Conflict:
            if not new:
                raise
            continue
        return len(new)
    raise Conflict(f"the past of {fill.id} is being written too often")
