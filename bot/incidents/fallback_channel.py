"""A channel that cannot be used is left for the fallback channel, asked again now and then, and gone back to (P8)."""

from bot.context.context import Desk
from bot.core.incident.fallback_channel import HOME_SECONDS, parted, returned, stayed
from bot.core.incident.incident import Incident
from bot.core.message import Message
from bot.core.record import Change, Conflict
from bot.ports import Failure, Unreachable
from bot.posting.once import PLACE_SECONDS, Said, Sought, after_failure, look_up, mark_of
from bot.views.thread.results import gone_home

LEFT = "left/"
"""Begins the mark of a first message whose incident has gone home."""
OPEN = "0"
"""What the index of a channel says that can be used again."""


async def elsewhere(desk: Desk, incident: Incident) -> Said | None:
    """Where a first message goes while its channel is known to be closed: one call a minute asks there (SL-6)."""
    channel = incident.thread.channel
    if await _open(desk, channel) or await _may_ask(desk, channel, incident) <= 0:
        return None
    return after_failure(desk, incident, Unreachable("Slack", "the channel cannot be used", failure=Failure.PLACE))


async def shut(desk: Desk, channel: str) -> None:
    """Slack did not let us use a channel: all processes know it from now on."""
    await desk.store.hold_lane(f"ask:{channel}", PLACE_SECONDS)
    await _note(desk, channel, f"{desk.now()}")


async def usable(desk: Desk, channel: str) -> None:
    """Slack took a first message there: when it was closed, it is not any more."""
    if not await _open(desk, channel):
        await _note(desk, channel, OPEN)


async def go_home(desk: Desk, incident: Incident, message: Message, drawn: str, unsettled: float | None) -> Said:
    """Try the incident's own channel again; when an earlier try may have worked, look for its message first."""
    home, now = incident.thread.instead_of or "", desk.now()
    if unsettled is None and (wait := await _may_ask(desk, home, incident)) > 0:
        return Said(lambda fresh: stayed(fresh, now - HOME_SECONDS + wait))
    found = await look_up(desk, Sought(home, mark_of(incident), incident.opened_at - 60), unsettled)
    if isinstance(found, Said):
        return found
    if found and await desk.store.find(f"thread:{home}:{found.ts}") == incident.id:
        found = None  # its thread of before it had to move
    posted = found or await desk.chat.post(home, message, mark=mark_of(incident))
    await usable(desk, home)
    shown, there_at = "" if found else drawn, desk.now()
    return Said(lambda fresh: returned(fresh, posted.ts, shown, there_at))


async def part(desk: Desk, incident: Incident) -> Said:
    """Let the message in the fallback channel say where the incident goes on; one that cannot be edited is left."""
    channel, ts = incident.thread.left or ("", "")
    try:
        link = await desk.chat.permalink(incident.thread.channel, incident.thread.root or "")
        await desk.chat.update(channel, ts, gone_home(link), mark=f"{LEFT}{incident.id}")
    except Unreachable as error:
        if error.failure not in {Failure.GONE, Failure.PLACE, Failure.SHAPE}:
            raise
    return Said(parted)


async def _open(desk: Desk, channel: str) -> bool:
    return (await desk.store.find(f"shut:{channel}") or OPEN) == OPEN


async def _may_ask(desk: Desk, channel: str, incident: Incident) -> float:
    """Seconds until a closed channel may be asked; 0: now."""
    return await desk.store.pace(f"ask:{channel}", incident.id, PLACE_SECONDS, 1, urgent=True)


async def _note(desk: Desk, channel: str, what: str) -> None:
    index = f"shut:{channel}"
    before = await desk.store.find(index)
    try:
        await desk.store.commit(Change(point={index: (what, before)}))
    except Conflict:
        return  # another process found the same in this moment
