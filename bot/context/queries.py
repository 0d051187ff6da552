"""Queries that several behaviors use: open incidents, their pools, links to their threads."""

import asyncio

from bot.config import File
from bot.context.context import Context
from bot.core.incident.incident import Incident, Thread
from bot.core.incident.observe import View
from bot.core.pool.pool import Pool
from bot.ports import Refused, Unreachable
from bot.views.words import refusals

MOST_LINKS = 20
READ_SECONDS = 0.5
"""Time limit for asking Slack who may read a channel."""
LINK_SECONDS = 0.8
"""Time limit for links; the list must be sent within Slack's 3 s."""


def known_pool(file: File, name: str) -> str:
    """The pool of that name; raises Refused with the known names."""
    if name in file.pool:
        return name
    raise Refused(refusals.unknown_pool(name, file.pool))


async def open_of(context: Context, name: str) -> list[Incident]:
    """The open incidents with this pool, in any channel."""
    found = await context.store.members(f"watch:{name}")
    return [held.value for held in (await context.store.get_many(Incident, sorted(found))).values()]


async def open_incidents(context: Context) -> list[Incident]:
    """All open incidents, the oldest first."""
    held = await context.store.get_many(Incident, sorted(await context.store.members("open")))
    return sorted((h.value for h in held.values() if not h.value.closed), key=lambda incident: incident.opened_at)


async def readable(
    context: Context, incidents: list[Incident], user: str, here: str = ""
) -> tuple[list[Incident], int]:
    """(the incidents in channels that a person may read, how many others are in doubt because Slack did not answer).

    `here` is the channel where the person asked.
    """
    channels = sorted({incident.thread.channel for incident in incidents} - {here})
    answers = await asyncio.gather(*(_readable(context, channel, user) for channel in channels))
    known: dict[str, bool | None] = {here: True, **dict(zip(channels, answers, strict=True))}
    found = [(incident, known[incident.thread.channel]) for incident in incidents]
    return [incident for incident, may in found if may], sum(may is None for _, may in found)


async def _readable(context: Context, channel: str, user: str) -> bool | None:
    try:
        async with asyncio.timeout(READ_SECONDS):
            return await context.chat.may_read(channel, user)
    except (Unreachable, TimeoutError):
        return None


async def views_of(context: Context, incidents: list[Incident]) -> dict[str, View]:
    """Their pools' data by incident id; every pool is read once."""
    names = sorted({name for incident in incidents for name in incident.pools.candidates})
    held = await context.store.get_many(Pool, names)
    view = View({name: pool.value for name, pool in held.items()}, context.settings.file.pools)
    return {incident.id: view for incident in incidents}


async def permalinks(context: Context, incidents: list[Incident]) -> dict[str, str]:
    """Links to the threads of the first incidents, by id; missing links are omitted."""
    shown = [incident for incident in incidents if incident.thread.root][:MOST_LINKS]
    found = await asyncio.gather(*(_permalink(context, incident.thread) for incident in shown))
    return {incident.id: link for incident, link in zip(shown, found, strict=True) if link}


async def _permalink(context: Context, thread: Thread) -> str:
    try:
        async with asyncio.timeout(LINK_SECONDS):
            return await context.chat.permalink(thread.channel, thread.root or "")
    except (Unreachable, TimeoutError):
        return ""
