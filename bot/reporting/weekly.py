"""The weekly report: one post a week and channel, once whatever crashes, and none when there is nothing to tell."""

import asyncio
from dataclasses import dataclass, replace

import structlog

from bot.context.context import Context
from bot.core.message import Message
from bot.core.record import Change, Claim, Put, Stored
from bot.core.reporting.summary import report
from bot.core.reporting.weekly import LATE_SECONDS, Weekly, weekly_key
from bot.ports import Failure, Unreachable
from bot.posting.once import CREDENTIALS_SECONDS, PLACE_SECONDS, Lookup, Outcome, find_posted
from bot.reporting.collect import gathered, of_channel
from bot.views.report.report import reported

LOOK_SECONDS = 3600.0
"""How often it is seen to that every channel has its appointment, also after the configuration changed."""
SAFETY_SECONDS = 0.2
"""Nothing is sent in the last moment of a lease."""
AGAIN_SECONDS = 30.0
BURST = 3
PAUSES = {Failure.CREDENTIALS: CREDENTIALS_SECONDS, Failure.PLACE: 10 * PLACE_SECONDS, Failure.GONE: 10 * PLACE_SECONDS}
"""Seconds before the next try, where trying again soon cannot help."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class WeeklyState:
    """How a channel's record is left, when to look again, and whether Slack may have what the record does not say."""

    record: Weekly
    due: float | None
    uncertain: bool = False


async def weekly(context: Context) -> str:
    """Have every channel of ours looked at; nothing can be wrong with that."""
    await context.store.commit(Change(wake=tuple(f"weekly:{channel}" for channel in homes(context))))
    return ""


def homes(context: Context) -> tuple[str, ...]:
    """The channels in which incidents are at home, the default one first."""
    file = context.settings.file
    return tuple(dict.fromkeys(c for c in (file.slack.channel, *(route.channel for route in file.routes)) if c))


async def post_weekly(context: Context, claim: Claim) -> None:
    """Keep one channel's appointment: look whether it was kept already, write the intent, post, record it."""
    known = claim.held.value if claim.held else None
    record = known if isinstance(known, Weekly) else Weekly(claim.id)
    version, in_doubt_since = (claim.held.version, claim.held.in_doubt_since) if claim.held else (0, None)
    table, now = context.settings.file.report, context.now()
    at = table.appointment.last(now)
    due = table.appointment.after(at) if claim.id in homes(context) else None
    begun = record.begun_for == at
    mine = Stored(record, version, claim.fence, in_doubt_since if begun else None, claim.lease_ends)
    if not table.enabled or due is None or record.done_for >= at or now - at > LATE_SECONDS:
        await _leave(context, mine, WeeklyState(replace(record, trouble=""), due))
        return
    message = await _drawn(context, claim.id, at)
    if message is None:
        await _leave(context, mine, WeeklyState(replace(record, done_for=at, trouble=""), due))
        return
    if not begun:
        mine = await _intended(context, mine, at)
        mine = replace(mine, in_doubt_since=None if version else at)  # no record: it may have been lost after the post
    try:
        left = await _said(context, mine, message, at)
    except Unreachable as error:
        if error.system != "Slack":
            raise
        left = await _failed(context, mine, error)
        mine = replace(mine, in_doubt_since=None)  # a doubt now is about this very try
    await _leave(context, mine, replace(left, due=left.due or due))


async def _drawn(context: Context, channel: str, at: float) -> Message | None:
    """The report of the week before the appointment; None when there is nothing to tell."""
    since = context.settings.file.report.appointment.before(at)
    books = await gathered(context.store, context.settings.file, since, at)
    mine = of_channel(books, channel, default=channel == context.settings.file.slack.channel)
    made = await asyncio.to_thread(report, mine)
    return reported(made, weekly=True) if made.told else None


async def _intended(context: Context, mine: Stored[Weekly], at: float) -> Stored[Weekly]:
    """The intent, stored before anything is posted; it begins the lease anew."""
    record, begun = replace(mine.value, begun_for=at), context.monotonic()
    await context.store.commit(Change(puts=(Put(mine, record, context.now(), release=False),)))
    return replace(mine, value=record, version=mine.version + 1, lease_ends=begun + context.settings.file.timing.lease)


async def _said(context: Context, mine: Stored[Weekly], message: Message, at: float) -> WeeklyState:
    record, mark = mine.value, weekly_key(at)
    done = WeeklyState(replace(record, done_for=at, trouble=""), None)
    found = await find_posted(context, Lookup(record.id, mark, at - 60), mine.in_doubt_since)
    if isinstance(found, Outcome):
        return WeeklyState(record, found.again_at, uncertain=True)
    if found is not None:
        return done
    slack = context.settings.file.slack
    wait = await context.store.acquire_slot(f"post:{record.id}", "weekly", slack.pace, BURST, urgent=False)
    if wait > 0 or context.monotonic() > mine.lease_ends - SAFETY_SECONDS:
        return WeeklyState(record, context.now() + wait, uncertain=mine.in_doubt_since is not None)
    try:
        async with asyncio.timeout(mine.lease_ends - SAFETY_SECONDS - context.monotonic()):
            await _posted(context, record.id, message, mark)
    except TimeoutError:
        what = "no answer while the record was ours"
        raise Unreachable("Slack", what, failure=Failure.UNKNOWN) from None
    return done


async def _posted(context: Context, channel: str, message: Message, mark: str) -> None:
    try:
        await context.chat.post(channel, message, mark=mark)
    except Unreachable as error:
        if error.failure is not Failure.SHAPE:
            raise
        log.warning("weekly report not taken as it was drawn", channel=channel, why=error.what)
        await context.chat.post(channel, Message(message.text), mark=mark)


async def _failed(context: Context, mine: Stored[Weekly], error: Unreachable) -> WeeklyState:
    """It is tried again until the day is over; then the next week's will come."""
    log.warning("weekly report failed", channel=mine.value.id, failure=error.failure, why=error.what)
    now, record = context.now(), replace(mine.value, trouble=str(error))
    if error.failure is Failure.UNKNOWN:
        return WeeklyState(record, now + context.settings.file.slack.settle, uncertain=True)
    pause = error.retry_after_seconds or PAUSES.get(error.failure, AGAIN_SECONDS)
    if error.failure in {Failure.LATER, Failure.CREDENTIALS}:
        await context.store.pause_lane(f"post:{record.id}", pause)
    return WeeklyState(record, now + pause)


async def _leave(context: Context, mine: Stored[Weekly], left: WeeklyState) -> None:
    await context.store.commit(Change(puts=(Put(mine, left.record, left.due, uncertain=left.uncertain),)))
