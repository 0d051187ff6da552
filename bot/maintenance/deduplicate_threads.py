"""Collapses second threads of an incident, and second messages of an early warning (P2).

A very late request can cause them.
"""

import structlog

from bot.context.context import Context
from bot.context.queries import open_incidents
from bot.context.save import keep
from bot.core.incident.incident import Incident, rooted
from bot.ports import Own, Unreachable
from bot.posting.message_key import message_key
from bot.views.thread.results import duplicate
from bot.warnings.repair_warnings import COLLAPSED, collapse_warning, recent_warnings

BACK_SECONDS = 900.0
"""How old an incident or warning may be; a second message arrives within minutes or never."""

log = structlog.get_logger()


async def deduplicate_threads(context: Context) -> str:
    """Search the channels of recent incidents and warnings; the oldest message stays, others point to it."""
    since = context.now() - BACK_SECONDS
    young = [incident for incident in await open_incidents(context) if incident.opened_at > since]
    notices = await recent_warnings(context, since)
    problems = []
    for channel in sorted({one.thread.channel for one in young} | {one.channel for one in notices}):
        try:
            found = await context.chat.own(channel, since=since)
            for incident in young:
                same = [message for message in found if message.key == message_key(incident)]
                if len(same) > 1 and incident.thread.channel == channel:
                    await _collapsed(context, incident, same)
            for notice in notices:
                if notice.channel == channel:
                    await collapse_warning(context, notice, found)
        except Unreachable as error:
            if error.system != "Slack":
                raise
            problems.append(f"{channel} could not be searched for second threads ({error.what})")
    return "; ".join(problems)


async def _collapsed(context: Context, incident: Incident, same: list[Own]) -> None:
    oldest, *others = same
    channel, now = incident.thread.channel, context.now()
    if incident.thread.root is not None and incident.thread.root != oldest.ts:
        held = await context.store.get(Incident, incident.id)
        if held is not None:
            await keep(context, held, lambda fresh: rooted(fresh, channel, oldest.ts, "", now), due=now)
    link = await context.chat.permalink(channel, oldest.ts)
    for other in others:
        await context.chat.update(channel, other.ts, duplicate(link), key=f"{COLLAPSED}{incident.id}")
        log.warning("second thread collapsed", incident=incident.id, kept=oldest.ts, collapsed=other.ts)
