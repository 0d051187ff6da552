"""Repairs early warnings that are in Slack without a record, or twice."""

from collections.abc import Sequence
from dataclasses import replace

import structlog

from bot.context.context import Context
from bot.core.pool.early_warning import warning_key, warning_of
from bot.core.record import Change, Conflict, Put, Stored, WarningRecord
from bot.ports import Own, Unreachable
from bot.posting.message_key import OVER
from bot.views.thread.early_warning import outcome_unknown
from bot.views.thread.results import duplicate

COLLAPSED = "duplicate/"
"""Prefix of the key of a collapsed message."""

log = structlog.get_logger()


def is_warning(message: Own) -> bool:
    """Whether it is an early warning without an end yet."""
    return warning_of(message.key) is not None


async def reconnect_warning(context: Context, channel: str, message: Own) -> None:
    """After a loss of records: reconnect known warnings to their messages; others say that their outcome is unknown.

    Raises Unreachable if a retry can help, and Conflict if another process has done it.
    """
    pool, began_at = warning_of(message.key) or ("", 0.0)
    held = await context.store.get(WarningRecord, pool) or Stored(WarningRecord(pool), 0)
    record = held.value
    known = [one for one in (record.episode, (await context.pool(pool)).early.episode) if one]
    episode = next((one for one in known if warning_key(pool, one.began_at) == message.key), None)
    if episode is not None:
        older = record.episode is None or record.episode.began_at < episode.began_at
        # an empty channel means that the message was deleted
        if older or (record.ts is None and record.channel and record.episode == episode):
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


async def recent_warnings(context: Context, since: float) -> list[WarningRecord]:
    """The warnings that began after `since` (epoch seconds)."""
    held = await context.store.get_many(WarningRecord, list(context.settings.file.pool))
    notices = [one.value for one in held.values()]
    return [one for one in notices if one.channel and one.episode is not None and one.episode.began_at > since]


async def collapse_warning(context: Context, notice: WarningRecord, found: Sequence[Own]) -> None:
    """Collapse a second message of one warning, caused by a very late request; the oldest stays."""
    if notice.episode is None:
        return
    key = warning_key(notice.id, notice.episode.began_at)
    same = [message for message in found if message.key.removeprefix(OVER) == key]
    if len(same) < 2:
        return
    oldest, *others = same
    if notice.ts != oldest.ts:
        held = await context.store.get(WarningRecord, notice.id)
        if held is None or held.value.episode is None or held.value.episode.began_at != notice.episode.began_at:
            return
        mine = replace(held.value, ts=oldest.ts, shown="", shown_at=0.0)
        try:
            await context.store.commit(Change(puts=(Put(held, mine, context.now()),)))
        except Conflict as conflict:
            log.info("second early warning left for the next time", pool=notice.id, why=str(conflict))
            return
    link = await context.chat.permalink(notice.channel, oldest.ts)
    for other in others:
        await context.chat.update(notice.channel, other.ts, duplicate(link), key=f"{COLLAPSED}{key}")
        log.warning("second early warning collapsed", pool=notice.id, kept=oldest.ts, collapsed=other.ts)
