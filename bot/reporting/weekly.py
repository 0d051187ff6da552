"""The weekly report: one post per week and channel, none if there is nothing to report."""

from dataclasses import replace
from functools import partial

from bot.context.context import Context
from bot.context.save import intend
from bot.core.record import Change, Claim
from bot.core.reporting.summary import Report
from bot.core.reporting.weekly import LATE_SECONDS, Weekly, weekly_key
from bot.ports import Failure
from bot.posting.failures import PLACE_SECONDS, FailureRule, MessageKind, Reaction
from bot.posting.keep_message import Kept, MessageSpec, keep_message, store_and_release
from bot.reporting.collect import made
from bot.views.report.report import reported

AGAIN_SECONDS = 2.0
"""When a report that was not ready is looked for again: the claim does not last as long as the work."""
LOOK_SECONDS = 3600.0
"""How often channels are checked for their schedule, also after a configuration change."""
_PLACE = FailureRule(Reaction.REST, 10 * PLACE_SECONDS, reason="a report is about its own channel, and may wait a day")
KIND = MessageKind("weekly", posts={Failure.PLACE: _PLACE})


async def weekly(context: Context) -> str:
    await context.store.commit(Change(wake=tuple(f"weekly:{channel}" for channel in report_channels(context))))
    return ""


def report_channels(context: Context) -> tuple[str, ...]:
    """The channels with incidents, the default one first."""
    file = context.settings.file
    return tuple(dict.fromkeys(c for c in (file.slack.channel, *(route.channel for route in file.routes)) if c))


async def post_weekly(context: Context, claim: Claim) -> None:
    """Handle one channel's schedule: check whether it is done, store the intent, post, record it."""
    held = claim.of(Weekly)
    record, table, now = held.value, context.settings.file.report, context.now()
    at = table.schedule.last(now)
    due = table.schedule.after(at) if claim.id in report_channels(context) else None
    over = not table.enabled or due is None or record.done_for >= at or now - at > LATE_SECONDS
    found = None if over else await _made(context, claim.id, at)
    if found is None and not over:
        await store_and_release(context, held, Kept(record), now + AGAIN_SECONDS)
        return
    message = reported(found, weekly=True) if found is not None and found.has_news else None
    if message is None:
        done_for = record.done_for if over else at
        await store_and_release(context, held, Kept(replace(record, done_for=done_for, trouble="", retry_at=0.0)), due)
        return
    if record.begun_for != at:
        # without a record: it may have been lost after the post, whose key is the same for every process
        fresh = replace(held, in_doubt_since=None if held.version else at)
        held = await intend(context, fresh, Weekly(record.id, done_for=record.done_for, begun_for=at))
    kept = await keep_message(context, held, MessageSpec(KIND, record.id, message, weekly_key(at), at - 60))
    if kept.record.ts:
        kept = Kept(replace(kept.record, done_for=at))
    await store_and_release(context, held, kept, due)


async def _made(context: Context, channel: str, at: float) -> Report | None:
    """The report of the week before that time; None while it is being made."""
    file = context.settings.file
    since = file.report.schedule.before(at)
    make = partial(made, context.store, file, since, at, channel=channel)
    return await context.making.get(("weekly", channel, at), make, context.monotonic)
