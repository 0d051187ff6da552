"""List: the open incidents, for the person who asks."""

import asyncio

from bot.context.context import Context
from bot.core.incident.incident import Incident, Thread
from bot.core.incident.observe import View
from bot.core.pool.pool import Pool
from bot.core.requests.interaction import Answer, Interaction
from bot.core.requests.offer import Offer
from bot.ports import Unreachable
from bot.requests.permission import permit
from bot.views.home.answers import incident_list

NAME, VERB, USAGE = "list", "list", "list"
HELP = "The open incidents, with links to their threads."
MOST_LINKS = 20
LINK_SECONDS = 1.0
"""The list is worth more than its links: it has to be there within Slack's 3 s."""


def offer(incident: Incident, view: View) -> Offer | None:  # noqa: ARG001 - the contract's shape
    """No button."""
    return None


async def ask(context: Context, interaction: Interaction) -> Answer:
    """Open incidents, the oldest first."""
    await permit(context, interaction.who, interaction.team, "diagnose")
    incidents = await open_incidents(context)
    links, views = await permalinks(context, incidents), await views_of(context, incidents)
    return Answer(whisper=incident_list(incidents, context.now(), links, views, context.settings.file.paces))


async def open_incidents(context: Context) -> list[Incident]:
    """Every incident that is not over, the oldest first."""
    held = await context.store.get_many(Incident, sorted(await context.store.members("open")))
    return sorted((h.value for h in held.values() if not h.value.closed), key=lambda incident: incident.opened_at)


async def views_of(context: Context, incidents: list[Incident]) -> dict[str, View]:
    """What is known of their pools, by incident id; every pool is read once."""
    names = sorted({name for incident in incidents for name in incident.candidates})
    held = await context.store.get_many(Pool, names)
    view = View({name: pool.value for name, pool in held.items()}, context.settings.file.pools)
    return {incident.id: view for incident in incidents}


async def permalinks(context: Context, incidents: list[Incident]) -> dict[str, str]:
    """Links to the threads of the first incidents, by id; a link that Slack does not give is left out."""
    shown = [incident for incident in incidents if incident.thread.root][:MOST_LINKS]
    found = await asyncio.gather(*(_permalink(context, incident.thread) for incident in shown))
    return {incident.id: link for incident, link in zip(shown, found, strict=True) if link}


async def _permalink(context: Context, thread: Thread) -> str:
    try:
        async with asyncio.timeout(LINK_SECONDS):
            return await context.chat.permalink(thread.channel, thread.root or "")
    except (Unreachable, TimeoutError):
        return ""
