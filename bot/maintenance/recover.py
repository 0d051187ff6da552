"""Recovers from lost records: finds threads in Slack without a record, so that their incidents continue there.

The history of a lost incident is not rebuilt. The key on its first message identifies a thread, and the next delivery
of its group adopts it (`take_alert`). An early warning without a record says that its outcome is unknown. Until all
channels were read no action runs (P10).
"""

import structlog

from bot.context.context import Context
from bot.context.queries import channels
from bot.context.save import LOST, keep, point
from bot.core.incident.details.events import Note, Noted
from bot.core.incident.incident import Incident, noted, rooted
from bot.core.incident.timeline import Event
from bot.core.record import Change, Conflict
from bot.ports import Own, Unreachable
from bot.posting.message_key import OVER
from bot.views.thread.results import duplicate
from bot.warnings.repair_warnings import COLLAPSED, is_warning, reconnect_warning

BACK_SECONDS = 2 * 86400.0
"""How far back channels are searched."""
EPOCH = "epoch"
"""The index in every initialised store; if it is missing, everything was lost."""

log = structlog.get_logger()


async def recovered(context: Context) -> bool:
    """Search every channel once; False if one could not be read and it must be repeated."""
    for channel in channels(context):
        try:
            for message in await context.chat.own(channel, since=context.now() - BACK_SECONDS):
                await _taken_note_of(context, channel, message)
        except Unreachable as error:
            if error.system != "Slack":
                raise
            log.warning(
                "channel not read for lost threads", channel=channel, why=error.what, remedy="run `tailback check`"
            )
            if error.retryable:
                return False
    await point(context, [EPOCH], context.new_id("e"))
    context.store.accept_loss()
    return True


async def _taken_note_of(context: Context, channel: str, message: Own) -> None:
    if is_warning(message):
        try:
            await reconnect_warning(context, channel, message)
        except Conflict as conflict:
            log.info("early warning left to others", message=message.ts, why=str(conflict))
        return
    incident, dot, like = message.key.partition(".")
    if not dot or "/" in message.key or message.key.startswith(OVER):
        return
    if await context.store.get(Incident, incident) is not None:
        return
    index = f"like:{like}"
    known = await context.store.find(index)
    try:
        if known is None or known.startswith(LOST):
            await context.store.commit(Change(point={index: (f"{LOST}{channel}|{message.ts}", known)}))
            return
        held = await context.store.get(Incident, known)
        if held is not None and held.value.thread.root is None and not held.value.closed:
            now = context.now()

            def continued(fresh: Incident) -> Incident:
                return rooted(noted(fresh, now, Event.NOTED, Noted(Note.RECORDS_LOST)), channel, message.ts, "", now)

            await keep(context, held, continued, due=now)
        elif held is not None and held.value.thread.root not in {None, message.ts}:  # that one it has continued in
            link = await context.chat.permalink(held.value.thread.channel, held.value.thread.root)
            await context.chat.update(channel, message.ts, duplicate(link), key=f"{COLLAPSED}{incident}")
    except Conflict as conflict:
        log.info("lost thread left to others", thread=message.ts, why=str(conflict))
