"""The weekly report: one post a week and channel, once whatever crashes, and none when there is nothing to tell."""

import asyncio
from dataclasses import dataclass, replace

import structlog

from bot.context.context import Desk
from bot.core.message import Message
from bot.core.record import Change, Claim, Held, Put
from bot.core.reporting.summary import report
from bot.core.reporting.weekly import LATE_SECONDS, Weekly, mark_of
from bot.ports import Failure, Unreachable
from bot.posting.once import CREDENTIALS_SECONDS, PLACE_SECONDS, Said, Sought, look_up
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
class Left:
    """How a channel's record is left, when to look again, and whether Slack may have what the record does not say."""

    record: Weekly
    due: float | None
    uncertain: bool = False


async def weekly(desk: Desk) -> str:
    """Have every channel of ours looked at; nothing can be wrong with that."""
    await desk.store.commit(Change(wake=tuple(f"weekly:{channel}" for channel in homes(desk))))
    return ""


def homes(desk: Desk) -> tuple[str, ...]:
    """The channels in which incidents are at home, the default one first."""
    file = desk.settings.file
    return tuple(dict.fromkeys(c for c in (file.slack.channel, *(route.channel for route in file.routes)) if c))


async def post_weekly(desk: Desk, claim: Claim) -> None:
    """Keep one channel's appointment: look whether it was kept already, write the intent, post, record it."""
    known = claim.held.value if claim.held else None
    record = known if isinstance(known, Weekly) else Weekly(claim.id)
    version, unsettled = (claim.held.version, claim.held.unsettled) if claim.held else (0, None)
    table, now = desk.settings.file.report, desk.now()
    at = table.appointment.last(now)
    due = table.appointment.after(at) if claim.id in homes(desk) else None
    begun = record.begun_for == at
    mine = Held(record, version, claim.fence, unsettled if begun else None, claim.lease_ends)
    if not table.enabled or due is None or record.done_for >= at or now - at > LATE_SECONDS:
        await _leave(desk, mine, Left(replace(record, trouble=""), due))
        return
    message = await _drawn(desk, claim.id, at)
    if message is None:
        await _leave(desk, mine, Left(replace(record, done_for=at, trouble=""), due))
        return
    if not begun:
        mine = await _intended(desk, mine, at)
        mine = replace(mine, unsettled=None if version else at)  # no record: it may have been lost after the post
    try:
        left = await _said(desk, mine, message, at)
    except Unreachable as error:
        if error.system != "Slack":
            raise
        left = await _failed(desk, mine, error)
        mine = replace(mine, unsettled=None)  # a doubt now is about this very try
    await _leave(desk, mine, replace(left, due=left.due or due))


async def _drawn(desk: Desk, channel: str, at: float) -> Message | None:
    """The report of the week before the appointment; None when there is nothing to tell."""
    since = desk.settings.file.report.appointment.before(at)
    books = await gathered(desk.store, desk.settings.file, since, at)
    mine = of_channel(books, channel, default=channel == desk.settings.file.slack.channel)
    made = await asyncio.to_thread(report, mine)
    return reported(made, weekly=True) if made.told else None


async def _intended(desk: Desk, mine: Held[Weekly], at: float) -> Held[Weekly]:
    """The intent, stored before anything is posted; it begins the lease anew."""
    record, begun = replace(mine.value, begun_for=at), desk.monotonic()
    await desk.store.commit(Change(puts=(Put(mine, record, desk.now(), release=False),)))
    return replace(mine, value=record, version=mine.version + 1, lease_ends=begun + desk.settings.file.timing.lease)


async def _said(desk: Desk, mine: Held[Weekly], message: Message, at: float) -> Left:
    record, mark = mine.value, mark_of(at)
    done = Left(replace(record, done_for=at, trouble=""), None)
    found = await look_up(desk, Sought(record.id, mark, at - 60), mine.unsettled)
    if isinstance(found, Said):
        return Left(record, found.again_at, uncertain=True)
    if found is not None:
        return done
    slack = desk.settings.file.slack
    wait = await desk.store.pace(f"post:{record.id}", "weekly", slack.pace, BURST, urgent=False)
    if wait > 0 or desk.monotonic() > mine.lease_ends - SAFETY_SECONDS:
        return Left(record, desk.now() + wait, uncertain=mine.unsettled is not None)
    try:
        async with asyncio.timeout(mine.lease_ends - SAFETY_SECONDS - desk.monotonic()):
            await _posted(desk, record.id, message, mark)
    except TimeoutError:
        what = "no answer while the record was ours"
        raise Unreachable("Slack", what, failure=Failure.UNKNOWN) from None
    return done


async def _posted(desk: Desk, channel: str, message: Message, mark: str) -> None:
    try:
        await desk.chat.post(channel, message, mark=mark)
    except Unreachable as error:
        if error.failure is not Failure.SHAPE:
            raise
        log.warning("weekly report not taken as it was drawn", channel=channel, why=error.what)
        await desk.chat.post(channel, Message(message.text), mark=mark)


async def _failed(desk: Desk, mine: Held[Weekly], error: Unreachable) -> Left:
    """It is tried again until the day is over; then the next week's will come."""
    log.warning("weekly report failed", channel=mine.value.id, failure=error.failure, why=error.what)
    now, record = desk.now(), replace(mine.value, trouble=str(error))
    if error.failure is Failure.UNKNOWN:
        return Left(record, now + desk.settings.file.slack.settle, uncertain=True)
    pause = error.retry_after_seconds or PAUSES.get(error.failure, AGAIN_SECONDS)
    if error.failure in {Failure.LATER, Failure.CREDENTIALS}:
        await desk.store.hold_lane(f"post:{record.id}", pause)
    return Left(record, now + pause)


async def _leave(desk: Desk, mine: Held[Weekly], left: Left) -> None:
    await desk.store.commit(Change(puts=(Put(mine, left.record, left.due, uncertain=left.uncertain),)))
