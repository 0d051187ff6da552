"""Repairs messages that stand in Slack without a record, or twice: incidents' threads and early warnings.

After a loss of records, the history of an incident is not rebuilt. The key on its first message identifies a thread,
and the next delivery of its group adopts it (`take_alert`). An early warning without a record says that its outcome is
unknown. Until all channels were read no action runs (P10). Second messages come from very late requests (P2).
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace

import structlog

from bot.context.context import Context
from bot.context.queries import channels, open_incidents
from bot.context.save import LOST, LOST_THREADS, keep, point
from bot.core.incident.details.events import Note, Noted
from bot.core.incident.incident import Incident, noted, rooted
from bot.core.incident.timeline import Event
from bot.core.pool.early_warning import warning_key, warning_of
from bot.core.record import Change, Conflict, Put, Stored, WarningRecord
from bot.core.words import listed
from bot.ports import Own, Posted, Unreachable
from bot.posting.message_key import OVER, message_key
from bot.posting.send import DOUBTFUL
from bot.views.thread.early_warning import outcome_unknown
from bot.views.thread.results import duplicate, lost_and_resolved

COLLAPSED = "duplicate/"
"""Prefix of the key of a collapsed message."""
SEARCHED_SECONDS = 2 * 86400.0
"""How far back channels are searched after a loss of records."""
BACK_SECONDS = 900.0
"""How old an incident or warning may be; a second message arrives within minutes or never."""
STRANGERS = "strangers"
"""The index that names the other installations whose messages stood in our channels when the records began."""
EPOCH = "epoch"
"""The index in every initialised store; if it is missing, everything was lost."""

log = structlog.get_logger()


async def recovered(context: Context, seconds: float = SEARCHED_SECONDS) -> bool:
    """Search the last seconds of every channel once; False if one could not be read and it must be repeated."""
    strangers = set[str]()
    for channel in channels(context):
        try:
            found = await context.chat.own(channel, since=context.now() - seconds)
            strangers |= found.strangers
            for message in found.messages:
                reconnect = _reconnect_thread if warning_of(message.key) is None else _reconnect_warning
                try:
                    await reconnect(context, channel, message)
                except Conflict as conflict:
                    log.info("message without a record left to others", message=message.ts, why=str(conflict))
        except Unreachable as error:
            if error.system != "Slack":
                raise
            log.warning(
                "channel not read for lost threads", channel=channel, why=error.what, remedy="run `tailback check`"
            )
            if error.retryable:
                return False
    if strangers:
        await point(context, [STRANGERS], " ".join(sorted(strangers)))
        log.warning("messages of another Tailback left alone", **other_tailback(strangers))
    await point(context, [EPOCH], context.new_id("e"))
    context.store.accept_loss()
    return True


def other_tailback(strangers: Collection[str]) -> dict[str, str]:
    """Who else wrote into our channels, and what to do if that was this Tailback with an earlier folder."""
    lines = " or ".join(f'installation = "{one}"' for one in sorted(strangers))
    return {"installation": listed(sorted(strangers)), "remedy": f"if they are yours, write {lines} under [slack]"}


async def _reconnect_thread(context: Context, channel: str, message: Own) -> None:
    """The incident of that group continues in this thread, now or with its next delivery."""
    incident, dot, like = message.key.partition(".")
    if not dot or "/" in message.key or message.key.startswith(OVER):
        return
    if await context.store.get(Incident, incident) is not None:
        return
    index = f"like:{like}"
    known = await context.store.find(index)
    if known is None or known.startswith(LOST):
        await context.store.commit(Change(point={index: (f"{LOST}{channel}|{message.ts}", known)}))
        return
    held = await context.store.get(Incident, known)
    if held is not None and held.value.closed:  # an older time of the same group: this thread belongs to a later one
        await context.store.commit(Change(point={index: (f"{LOST}{channel}|{message.ts}", known)}))
    elif held is not None and held.value.thread.root is None:
        now = context.now()

        def continued(fresh: Incident) -> Incident:
            return rooted(noted(fresh, now, Event.NOTED, Noted(Note.RECORDS_LOST)), channel, message.ts, "", now)

        await keep(context, held, continued, due=now)
    elif held is not None and held.value.thread.root not in {None, message.ts}:  # that one it has continued in
        place = Posted(held.value.thread.channel, held.value.thread.root or "")
        await _collapse(context, channel, [message], place, incident)


async def _reconnect_warning(context: Context, channel: str, message: Own) -> None:
    """Reconnect a known warning to its message; another one says that its outcome is unknown.

    Raises Unreachable if a retry can help, and Conflict if another process has done it.
    """
    pool, began_at = warning_of(message.key) or ("", 0.0)
    held = await context.store.get(WarningRecord, pool) or Stored(WarningRecord(pool), 0)
    record = held.value
    known = [one for one in (record.warning, (await context.pool(pool)).early.current) if one]
    episode = next((one for one in known if warning_key(pool, one.began_at) == message.key), None)
    if episode is not None:
        older = record.warning is None or record.warning.began_at < episode.began_at
        # an empty channel means that the message was deleted
        if older or (record.ts is None and record.channel and record.warning == episode):
            found = WarningRecord(pool, episode, channel, ts=message.ts)
            await context.store.commit(Change(puts=(Put(held, found, context.now()),)))
        return
    try:
        unknown = outcome_unknown(pool, began_at)
        await context.chat.update(channel, message.ts, unknown, key=f"{OVER}{message.key}")
    except Unreachable as error:
        if error.retryable:
            raise
        log.warning("lost early warning left as it stands", pool=pool, message=message.ts, why=error.what)
    else:
        log.warning("early warning whose record is lost", pool=pool, message=message.ts)


async def deduplicate_threads(context: Context) -> str:
    """Search the channels of recent incidents and warnings; the oldest message stays, others point to it."""
    since = context.now() - BACK_SECONDS
    young = {message_key(one): one for one in await open_incidents(context) if one.opened_at > since}
    held = await context.store.get_many(WarningRecord, list(context.settings.file.pool))
    warned = {
        warning_key(one.id, one.warning.began_at): one
        for one in (known.value for known in held.values())
        if one.channel and one.warning is not None and one.warning.began_at > since
    }
    problems = await _end_lost_threads(context)
    for channel in sorted({one.thread.channel for one in young.values()} | {one.channel for one in warned.values()}):
        try:
            found = _by_key((await context.chat.own(channel, since=since)).messages)
            for key, same in found.items():
                incident, notice = young.get(key), warned.get(key)
                if incident and len(same) > 1 and incident.thread.channel == channel:
                    await _one_thread(context, incident, same)
                if notice and len(same) > 1 and notice.channel == channel:
                    await _one_warning(context, notice, key, same)
        except Unreachable as error:
            if error.system != "Slack":
                raise
            problems.append(f"{channel} could not be searched for second threads ({error.what})")
    return "; ".join([*problems, *await _collapse_replies(context)])


def _by_key(messages: Sequence[Own]) -> dict[str, list[Own]]:
    """The messages of each incident or warning, the oldest first, whether its end was told or not."""
    found = dict[str, list[Own]]()
    for message in messages:
        found.setdefault(message.key.removeprefix(OVER), []).append(message)
    return found


async def _collapse_replies(context: Context) -> list[str]:
    """In threads where an earlier attempt may have arrived late, of two replies with one key only one stays.

    Gives the problems. The reply that its incident edits stays, or else the oldest.
    """
    problems = []
    for doubtful in sorted(await context.store.members(DOUBTFUL)):
        channel, thread, at = doubtful.split("|")
        try:
            found = (await context.chat.own(channel, since=float(at) - BACK_SECONDS, thread=thread)).messages
            keys = Counter(one.key for one in found if not one.key.startswith(COLLAPSED))
            for key in (key for key, many in keys.items() if many > 1):
                edited = await _edited_replies(context, channel, thread)
                first, *others = sorted((one for one in found if one.key == key), key=lambda one: one.ts not in edited)
                await _collapse(context, channel, others, Posted(channel, first.ts), key, reply=True)
        except Unreachable as error:
            if error.system != "Slack":
                raise
            problems.append(f"a thread in {channel} could not be searched for second replies ({error.what})")
        if context.now() - float(at) > BACK_SECONDS:
            await context.store.commit(Change(leave=((DOUBTFUL, doubtful),)))
    return problems


async def _edited_replies(context: Context, channel: str, thread: str) -> frozenset[str]:
    """The replies of a thread that its incident knows by their `ts`, because they have buttons or advance."""
    known = await context.store.find(f"thread:{channel}:{thread}")
    held = await context.store.get(Incident, known) if known else None
    return frozenset(one.ts for one in held.value.log.timeline if one.ts) if held else frozenset()


async def _end_lost_threads(context: Context) -> list[str]:
    """End the threads whose record was lost and whose group has resolved since; returns what must be tried again."""
    problems = []
    for thread in sorted(await context.store.members(LOST_THREADS)):
        channel, ts, at = thread.split("|")
        if await context.store.find(f"thread:{channel}:{ts}") is None:  # else its group fired again and goes on here
            try:
                await context.chat.update(channel, ts, lost_and_resolved(float(at)))
            except Unreachable as error:
                if error.system != "Slack":
                    raise
                if error.retryable:
                    problems.append(f"a thread without a record in {channel} could not be ended ({error.what})")
                    continue
                log.warning("thread without a record left as it stands", message=ts, why=error.what)
        await context.store.commit(Change(leave=((LOST_THREADS, thread),)))
    return problems


async def _one_thread(context: Context, incident: Incident, same: list[Own]) -> None:
    oldest, *others = same
    channel, now = incident.thread.channel, context.now()
    if incident.thread.root is not None and incident.thread.root != oldest.ts:
        held = await context.store.get(Incident, incident.id)
        if held is not None:
            await keep(context, held, lambda fresh: rooted(fresh, channel, oldest.ts, "", now), due=now)
    await _collapse(context, channel, others, Posted(channel, oldest.ts), incident.id)


async def _one_warning(context: Context, notice: WarningRecord, key: str, same: list[Own]) -> None:
    oldest, *others = same
    if notice.ts != oldest.ts:
        held = await context.store.get(WarningRecord, notice.id)
        known = held.value.warning if held else None
        if held is None or known is None or warning_key(notice.id, known.began_at) != key:
            return
        mine = replace(held.value, ts=oldest.ts, shown="", shown_at=0.0)
        try:
            await context.store.commit(Change(puts=(Put(held, mine, context.now()),)))
        except Conflict as conflict:
            log.info("second early warning left for the next time", pool=notice.id, why=str(conflict))
            return
    await _collapse(context, notice.channel, others, Posted(notice.channel, oldest.ts), key)


async def _collapse(  # noqa: PLR0913 - what is collapsed, and into what
    context: Context, channel: str, others: Sequence[Own], first: Posted, key: str, *, reply: bool = False
) -> None:
    """Let the other messages of a channel or thread point to the first one, without buttons."""
    link = await context.chat.permalink(first.channel, first.ts)
    for other in others:
        await context.chat.update(channel, other.ts, duplicate(link, reply=reply), key=f"{COLLAPSED}{key}")
        log.warning("second message collapsed", about=key, kept=first.ts, collapsed=other.ts)
