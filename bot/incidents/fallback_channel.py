"""A channel that cannot be used is left for the fallback channel, asked again now and then, and gone back to (P8)."""

from bot.context.context import Context
from bot.core.incident.fallback_channel import HOME_SECONDS, parted, return_failed, returned
from bot.core.incident.incident import Incident
from bot.core.message import Message
from bot.core.record import Change, Conflict
from bot.ports import Failure, Unreachable
from bot.posting.once import PLACE_SECONDS, Lookup, Outcome, after_failure, find_posted, message_key
from bot.views.thread.results import gone_home

LEFT = "left/"
"""Begins the mark of a first message whose incident has gone home."""
OPEN = "0"
"""What the index of a channel says that can be used again."""


async def fallback_if_closed(context: Context, incident: Incident) -> Outcome | None:
    """Where a first message goes while its channel is known to be closed: one call a minute asks there (SL-6)."""
    channel = incident.thread.channel
    if await _open(context, channel) or await _may_ask(context, channel, incident) <= 0:
        return None
    return after_failure(context, incident, Unreachable("Slack", "the channel cannot be used", failure=Failure.PLACE))


async def mark_closed(context: Context, channel: str) -> None:
    """Slack did not let us use a channel: all processes know it from now on."""
    await context.store.pause_lane(f"ask:{channel}", PLACE_SECONDS)
    await _note(context, channel, f"{context.now()}")


async def mark_usable(context: Context, channel: str) -> None:
    """Slack took a first message there: when it was closed, it is not any more."""
    if not await _open(context, channel):
        await _note(context, channel, OPEN)


async def return_to_channel(
    context: Context, incident: Incident, message: Message, drawn: str, in_doubt_since: float | None
) -> Outcome:
    """Try the incident's own channel again; when an earlier try may have worked, look for its message first."""
    home, now = incident.thread.instead_of or "", context.now()
    if in_doubt_since is None and (wait := await _may_ask(context, home, incident)) > 0:
        return Outcome(lambda fresh: return_failed(fresh, now - HOME_SECONDS + wait))
    found = await find_posted(context, Lookup(home, message_key(incident), incident.opened_at - 60), in_doubt_since)
    if isinstance(found, Outcome):
        return found
    if found and await context.store.find(f"thread:{home}:{found.ts}") == incident.id:
        found = None  # its thread of before it had to move
    posted = found or await context.chat.post(home, message, mark=message_key(incident))
    await mark_usable(context, home)
    shown, there_at = "" if found else drawn, context.now()
    return Outcome(lambda fresh: returned(fresh, posted.ts, shown, there_at))


async def point_to_new_thread(context: Context, incident: Incident) -> Outcome:
    """Let the message in the fallback channel say where the incident goes on; one that cannot be edited is left."""
    channel, ts = incident.thread.left or ("", "")
    try:
        link = await context.chat.permalink(incident.thread.channel, incident.thread.root or "")
        await context.chat.update(channel, ts, gone_home(link), mark=f"{LEFT}{incident.id}")
    except Unreachable as error:
        if error.failure not in {Failure.GONE, Failure.PLACE, Failure.SHAPE}:
            raise
    return Outcome(parted)


async def _open(context: Context, channel: str) -> bool:
    return (await context.store.find(f"shut:{channel}") or OPEN) == OPEN


async def _may_ask(context: Context, channel: str, incident: Incident) -> float:
    """Seconds until a closed channel may be asked; 0: now."""
    return await context.store.acquire_slot(f"ask:{channel}", incident.id, PLACE_SECONDS, 1, urgent=True)


async def _note(context: Context, channel: str, what: str) -> None:
    index = f"shut:{channel}"
    before = await context.store.find(index)
    try:
        await context.store.commit(Change(point={index: (what, before)}))
    except Conflict:
        return  # another process found the same in this moment
