"""Status: the pools' figures now, for the person who asks."""

import asyncio

from bot.context.context import Context
from bot.core.incident.incident import Incident
from bot.core.incident.observe import View
from bot.core.pool.pool import Pool, stale
from bot.core.requests.interaction import Answer, Interaction
from bot.core.requests.offer import Offer
from bot.diagnosing.diagnose import known_pool
from bot.measuring.measure import look
from bot.ports import Refused
from bot.requests.permission import permit
from bot.views.home.answers import status as drawn

NAME, VERB, USAGE = "status", "status", "status [POOL]"
HELP = "The figures of every pool, or of one."
MOST_POOLS = 20
PATIENCE_SECONDS = 1.2
"""What does not answer by then is shown as it was last known, marked as old."""


def offer(incident: Incident, view: View) -> Offer | None:  # noqa: ARG001 - the contract's shape
    """No button: the parent shows the status."""
    return None


async def ask(context: Context, interaction: Interaction) -> Answer:
    """What is fresh is shown; what is not is measured first."""
    await permit(context, interaction.who, interaction.team, "diagnose")
    names = await _asked(context, interaction)
    if not names:
        raise Refused('No pool is configured. Add a [pool."NAME"] table to tailback.toml to see figures here.')
    now, paces = context.now(), context.settings.file.paces
    held = await context.store.get_many(Pool, names)
    pools = {name: held[name].value if name in held else Pool(name) for name in names}
    old = [pools[name] for name in names if stale(pools[name], now, paces.poll)][:MOST_POOLS]
    looked = await asyncio.gather(*(_look(context, pool) for pool in old))
    pools |= {pool.id: pool for pool in looked}
    view = View(pools, context.settings.file.pools)
    return Answer(whisper=drawn(view, names, context.now(), paces))


async def _look(context: Context, pool: Pool) -> Pool:
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            return await look(context, pool)
    except TimeoutError:
        return pool


async def _asked(context: Context, interaction: Interaction) -> list[str]:
    if interaction.words:
        return [known_pool(context.settings.file, interaction.words[0])]
    if interaction.thread:
        found = await context.store.find(f"thread:{interaction.channel}:{interaction.thread}")
        held = await context.store.get(Incident, found) if found else None
        if held and held.value.candidates:
            return list(held.value.candidates)
    return list(context.settings.file.pool)
