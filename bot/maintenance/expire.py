"""Deletes old incidents with every index and set that refers to them."""

import structlog

from bot.context.context import Context
from bot.context.save import KEPT_AFTER_CLOSE_SECONDS, UNDELIVERED
from bot.core.alert import likeness
from bot.core.incident.incident import Incident
from bot.core.record import Change, Conflict, Put, Stored
from bot.ports import Unreachable

SLICE = 50
"""Incidents read at once; other work runs between two reads."""
MOST = 500
"""Incidents deleted per run, so that it ends within its lease; the rest follows next time."""
AT_ONCE_SECONDS = 1.0

log = structlog.get_logger()


async def expire(context: Context) -> str:
    """Delete up to `MOST` incidents that closed too long ago."""
    ended = sorted(await context.store.members("ended"))
    forgotten = 0
    for at in range(0, len(ended), SLICE):
        ids = ended[at : at + SLICE]
        held = await context.store.get_many(Incident, ids)
        missing = [name for name in ids if name not in held]
        if gone := tuple([("ended", name) for name in missing if await _is_gone(context, name)]):
            await context.store.commit(Change(leave=gone))
        for one in held.values():
            closed_at = one.value.closed_at if one.value.closed else None
            if closed_at and context.now() - closed_at > KEPT_AFTER_CLOSE_SECONDS and forgotten < MOST:
                forgotten += await _forgotten(context, one)
    if forgotten:
        log.info("incidents forgotten", count=forgotten)
    return ""


async def _is_gone(context: Context, incident_id: str) -> bool:
    """Whether the record does not exist; one of a newer release exists, but is unreadable here."""
    try:
        return await context.store.get(Incident, incident_id) is None
    except Unreachable:
        return False


async def _forgotten(context: Context, held: Stored[Incident]) -> bool:
    """Delete in one change; an incident that changed meanwhile is left for the next run."""
    incident = held.value
    thread = incident.thread
    indexes = (
        f"open:{incident.group.key}",
        f"like:{likeness(incident.group.source, incident.group.receiver, incident.group.group_key)}",
        f"thread:{thread.channel}:{thread.root}",
    )
    mine = [name for name in indexes if await context.store.find(name) == incident.id]
    change = Change(
        puts=(Put(held, incident, None, keep_seconds=AT_ONCE_SECONDS),),
        point=dict.fromkeys(mine, ("", incident.id)),
        leave=tuple((name, incident.id) for name in ("ended", UNDELIVERED, f"waiting:{thread.channel}")),
    )
    try:
        await context.store.commit(change)
    except Conflict:
        return False
    return True
