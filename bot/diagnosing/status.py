"""The action Status: the pools' figures now, shown privately."""

import asyncio
from collections.abc import Mapping

from bot.context.context import Action, Context
from bot.context.measure_now import measure_now
from bot.context.queries import known_pool
from bot.core.incident.incident import Incident
from bot.core.incident.observe import View
from bot.core.pool.history import PoolHistory, weeks_known_at
from bot.core.pool.pool import Pool, stale
from bot.core.requests.interaction import Answer, Interaction
from bot.ports import Refused
from bot.views.answers import status as drawn
from bot.views.parent.pools import MOST_ROWS, rows
from bot.views.words import refusals

SHARED_SECONDS = 1.2
"""So long one measurement answers all who ask; about as long as they wait for it."""


async def handle(context: Context, interaction: Interaction) -> Answer:
    """Show the figures of now for a named pool or a thread; of all pools the stored ones, and the stale ones among
    those that the answer shows are measured.
    """
    names = await _named_pools(context, interaction)
    if not names:
        raise Refused(refusals.NO_POOL)
    now, paces = context.now(), context.settings.file.paces
    held = await context.looked_at(names)
    pools = {name: held.get(name, Pool(name)) for name in names}
    all_of_them = not interaction.words and not interaction.thread
    drawn_first = [row.name for row in rows(names, (), View(pools, context.settings.file.pools), now, paces)]
    first = [pools[name] for name in drawn_first[:MOST_ROWS]]
    old = [one for one in first if not all_of_them or stale(one, now, paces.poll)]
    looked = await asyncio.gather(*(_measured_pool(context, pool) for pool in old))
    pools |= {pool.id: pool for pool in looked}
    view = View(pools, context.settings.file.pools)
    return Answer(whisper=drawn(view, names, context.now(), paces, await _warned_from(context, pools)))


async def _warned_from(context: Context, pools: Mapping[str, Pool]) -> float | None:
    """From when on all of these pools can be warned of early; None if they already are, or never will be."""
    file, now = context.settings.file, context.now()
    young = [
        name
        for name, pool in pools.items()
        if not pool.ahead and pool.latest and pool.latest.arrivals_per_minute is not None
    ]
    if not file.early.enabled or not file.paces.watch or not young:
        return None
    held = await context.store.get_many(PoolHistory, young[:MOST_ROWS])
    return max(
        weeks_known_at(held[name].value if name in held else PoolHistory(name), now) for name in young[:MOST_ROWS]
    )


async def _measured_pool(context: Context, pool: Pool) -> Pool:
    """One measurement for all who ask at once; a slow one goes on, and the stored figures say their age."""
    key = ("status", pool.id)
    made = await context.making.get(key, lambda: measure_now(context, pool), context.monotonic, SHARED_SECONDS)
    return made or pool


async def _named_pools(context: Context, interaction: Interaction) -> list[str]:
    if interaction.words:
        return [known_pool(context.settings.file, interaction.words[0])]
    found = await context.incident_here(interaction)
    held = await context.store.get(Incident, found) if found else None
    if held and held.value.pools.candidates:
        return list(held.value.pools.candidates)
    return list(context.settings.file.pool)


ACTION = Action(
    name="status",
    help="Show the figures of every pool, or of one.",
    handle=handle,
    permission="diagnose",
    reads_only=True,
)
