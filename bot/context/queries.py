"""Queries that several behaviors use: open incidents, their pools, links to their threads, channels of pools."""

import asyncio
from collections.abc import Awaitable, Collection, Iterable
from dataclasses import replace
from difflib import get_close_matches
from typing import TypeVar

from bot.config import File
from bot.context.context import Context
from bot.context.fleet import newest
from bot.core.finding import MEDIUM
from bot.core.incident.incident import Incident
from bot.core.incident.observe import View, latest
from bot.core.pool.pool import Pool
from bot.core.ranking.worst_first import worst_first
from bot.core.reporting.seen_before import seen_before
from bot.core.routing import pool_channel
from bot.ports import Chat, Refused, Unreachable
from bot.views.parent.urgency import urgent_first
from bot.views.words import refusals

T = TypeVar("T")
MOST_LINKS = 20
MOST_ENDED = 500
"""Ended incidents that are read; a record has about 3 kB."""
QUOTES = "`'\"\u2018\u2019\u201c\u201d"
"""What people and phones put around a name."""
READ_SECONDS = 0.5
"""Time limit for asking Slack who may read a channel."""
LINK_SECONDS = 0.8
"""Time limit for links and names; the list or the dialog must be sent within Slack's 3 s."""


def named_pool(file: File, word: str) -> str:
    """The pool that a person wrote, in any case and in quotes or not; empty if there is none."""
    written = word.strip(QUOTES)
    if written in file.pool:
        return written
    alike = [name for name in file.pool if name.casefold() == written.casefold()]
    return alike[0] if len(alike) == 1 else ""


def known_pool(file: File, word: str) -> str:
    """The same; raises Refused with the known names."""
    if found := named_pool(file, word):
        return found
    raise Refused(refusals.unknown_pool(word.strip(QUOTES), file.pool, _nearly(file, word)))


def pool_if_named(file: File, word: str) -> str:
    """The pool, or nothing for any other word; raises Refused for a name with a slip, since it means another pool."""
    found = named_pool(file, word)
    if not found and (meant := _nearly(file, word)):
        raise Refused(refusals.unknown_pool(word.strip(QUOTES), file.pool, meant))
    return found


def _nearly(file: File, word: str) -> str:
    near = get_close_matches(word.strip(QUOTES).casefold(), (known := {name.casefold(): name for name in file.pool}), 1)
    return known[near[0]] if near else ""


async def open_of(context: Context, name: str) -> list[Incident]:
    """The open incidents with this pool, in any channel."""
    found = await context.store.members(f"watch:{name}")
    return [held.value for held in (await context.store.get_many(Incident, sorted(found))).values()]


async def open_incidents(context: Context, within: str = "open") -> list[Incident]:
    """The open incidents of a set, or all of them, the oldest first."""
    held = await context.store.get_many(Incident, sorted(await context.store.members(within)))
    return sorted((h.value for h in held.values() if not h.value.closed), key=lambda incident: incident.opened_at)


async def by_urgency(context: Context, incidents: Collection[Incident]) -> list[Incident]:
    """Incidents, most urgent first, by the newest figures of their pools."""
    pools = await newest(context.store, {name for one in incidents for name in one.pools.candidates})
    return urgent_first(incidents, pools)


async def readable(
    context: Context, incidents: list[Incident], user: str, here: str = ""
) -> tuple[list[Incident], int]:
    """(the incidents in channels that a person may read, how many others are in doubt because Slack did not answer).

    `here` is the channel where the person asked.
    """
    channels = sorted({incident.thread.channel for incident in incidents} - {here})
    checks = (_in_time(READ_SECONDS, context.chat.may_read(channel, user)) for channel in channels)
    known: dict[str, bool | None] = {here: True, **dict(zip(channels, await asyncio.gather(*checks), strict=True))}
    found = [(incident, known[incident.thread.channel]) for incident in incidents]
    return [incident for incident, may in found if may], sum(may is None for _, may in found)


async def _in_time(seconds: float, answer: Awaitable[T]) -> T | None:
    """Slack's answer; None if there is none in time."""
    try:
        async with asyncio.timeout(seconds):
            return await answer
    except (Unreachable, TimeoutError):
        return None


async def permalinks(context: Context, incidents: list[Incident]) -> dict[str, str]:
    """Links to the threads of the first incidents, by id; missing links are omitted."""
    shown = {one.id: (one.thread.channel, one.thread.root) for one in incidents if one.thread.root}
    lookups = [_in_time(LINK_SECONDS, context.chat.permalink(*place)) for place in [*shown.values()][:MOST_LINKS]]
    return {name: link for name, link in zip(shown, await asyncio.gather(*lookups), strict=False) if link}


async def names_of(chat: Chat, people: Collection[str], within: float = LINK_SECONDS) -> dict[str, str]:
    """The name of each user id as others read it in Slack; the id where Slack does not tell it in `within` seconds."""
    found = await asyncio.gather(*(_in_time(within, chat.person(who)) for who in people))
    return {who: person.name if person and person.name else who for who, person in zip(people, found, strict=True)}


def pagers_of(context: Context, incident: Incident, *, unacknowledged: bool = False) -> tuple[str, ...]:
    """The pagers of an incident's channel; with `unacknowledged` those that are paged while nobody acknowledges."""
    tables, channel = context.settings.file.pager, incident.thread.instead_of or incident.thread.channel
    return tuple(
        name
        for name, table in tables.items()
        if name in context.pagers
        and (not table.channels or channel in table.channels)
        and (table.unacknowledged or not unacknowledged)
    )


def channels(context: Context) -> tuple[str, ...]:
    file = context.settings.file
    named = (file.slack.channel, file.slack.fallback_channel, *(route.channel for route in file.routes))
    return tuple(dict.fromkeys(channel for channel in named if channel))


def channel_of_pool(context: Context, pool: Pool) -> str:
    """The channel of a pool's incidents: by its labels, else that of the last one, else the default."""
    file = context.settings.file
    routed = pool_channel(file.pools[pool.id], file.routes) if pool.id in file.pools else None
    last = next((one.channel for one in reversed(pool.fired) if one.channel in channels(context)), "")
    return routed or last or file.slack.channel


async def readable_places(context: Context, places: Iterable[str], user: str) -> list[str]:
    """The channels that a person is known to see: a refusal names no private channel to somebody outside it."""
    named = [one for one in dict.fromkeys(places) if one]
    seen = await asyncio.gather(*(_in_time(READ_SECONDS, context.chat.may_read(one, user)) for one in named))
    return [one for one, may in zip(named, seen, strict=True) if may]


async def permit_here(context: Context, name: str, channel: str, user: str) -> None:
    """Raise Refused unless the pool belongs to this channel, by an open incident or by its route (C15)."""
    open_now = await open_of(context, name)
    if any(incident.thread.channel == channel for incident in open_now):
        return
    own = channel_of_pool(context, await context.pool(name))
    if channel == own:
        return
    places = [*(incident.thread.channel for incident in open_now), own]
    raise Refused(refusals.other_channels_pool(name), where=await readable_places(context, places, user))


async def ended_incidents(context: Context) -> list[Incident]:
    """The closed incidents that are kept, as many as one reads at once."""
    held = await context.store.get_many(Incident, sorted(await context.store.members("ended"))[:MOST_ENDED])
    return [one.value for one in held.values()]


async def with_before(context: Context, view: View, incident: Incident) -> View:
    """The view with the closed incident that looks alike; asked once for each first cause of the worst pool."""
    if incident.closed or not view.causes:
        return view
    known = latest(incident, view, context.now(), context.settings.file.paces)
    affected = worst_first([one for one in known if one.pool in incident.pools.affected], view.rules)
    first = next((view.causes[one.pool] for one in affected if one.pool in view.causes), None)
    if first is None or first.confidence < MEDIUM or first.cause == incident.pools.looked_for:
        return view
    return replace(view, before=(first.cause, seen_before(await ended_incidents(context), first)))
