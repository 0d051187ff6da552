"""Keep the early warning of one pool up to date in Slack: posted once, edited in place, linked to its incident."""

from dataclasses import replace
from functools import partial

import structlog

from bot.context.causes import moment_of
from bot.context.context import Context
from bot.context.queries import channel_of_pool
from bot.context.save import intend, keep
from bot.core.finding import Finding, facts_of
from bot.core.incident.details.events import EarlyWarningGiven
from bot.core.incident.incident import Incident, noted
from bot.core.incident.timeline import Event
from bot.core.message import Message
from bot.core.pool.early_warning import EarlyWarning, Ending, warning_key
from bot.core.pool.pool import Pool
from bot.core.record import AlreadyDone, Claim, Stored, WarningRecord
from bot.diagnosis.rank import diagnosed
from bot.ports import Failure, Unreachable
from bot.posting.failures import PLACE_SECONDS, FailureRule, MessageKind, Reaction
from bot.posting.keep_message import Kept, MessageSpec, keep_message, not_drawn, store_and_release
from bot.posting.message_key import OVER
from bot.views.thread.early_warning import WarningView, warning

AGAIN_SECONDS = 5.0
"""How soon to look again for the incident's thread, to link to it."""
UNLINKED_SECONDS = 120.0
"""After this long the end is reported without a link."""
KEPT_SECONDS = 7 * 86400.0
KIND = MessageKind(
    "early",
    edits={
        Failure.GONE: FailureRule(Reaction.GIVE_UP, reason="a warning that somebody deleted is not posted again"),
        Failure.PLACE: FailureRule(Reaction.REST, PLACE_SECONDS, reason="an update alone is not worth another message"),
    },
)

log = structlog.get_logger()


async def post_warning(context: Context, claim: Claim) -> None:
    """Update the message from the pool's record."""
    held = claim.of(WarningRecord)
    if held.value.warning is None:
        held = replace(held, in_doubt_since=None)
    pool = await context.pool(claim.id)
    current = await _for_newest(context, held, pool)
    if current is None:
        await store_and_release(context, held, Kept(held.value), None, KEPT_SECONDS)
        return
    episode, newest = current.value.warning, pool.early.current
    kept = await _posted(context, current, pool, episode) if episode and current.value.channel else Kept(current.value)
    behind = newest and episode and newest.began_at != episode.began_at
    await store_and_release(context, current, kept, context.now() if behind else None, KEPT_SECONDS)


async def _for_newest(context: Context, held: Stored[WarningRecord], pool: Pool) -> Stored[WarningRecord] | None:
    """The record with the newest warning, stored before anything is sent; None if there is nothing to post."""
    record, newest = held.value, pool.early.current
    if newest is None:
        return None
    if record.warning is not None and record.warning.began_at == newest.began_at:
        return replace(held, value=replace(record, warning=newest))
    if record.warning is not None and record.warning.ended_at is None:
        gone = replace(record.warning, ending=Ending.EXPIRED, ended_at=newest.began_at)
        return replace(held, value=replace(record, warning=gone))
    if newest.ended_at is not None:
        return None  # it came and went before it could be posted
    fresh = WarningRecord(record.id, newest, channel_of_pool(context, pool))
    return await intend(context, replace(held, in_doubt_since=None), fresh)


async def _likeliest(context: Context, name: str) -> Finding | None:
    file = context.settings.file
    paces = replace(file.paces, poll=max(file.paces.poll, file.paces.watch))
    pools = {**await context.beside([name]), **await context.pools([name])}
    facts = facts_of([*file.pool], pools, file.pools, moment_of(context.now(), paces))
    return next((diagnosed(one).top for one in facts if one.pool == name), None)


async def _posted(
    context: Context, held: Stored[WarningRecord], pool: Pool, episode: EarlyWarning
) -> Kept[WarningRecord]:
    """Post or edit the message; then notify the incident that took over."""
    record, now = held.value, context.now()
    incident = await context.store.get(Incident, episode.incident) if episode.incident else None
    unlinked = incident is not None and incident.value.thread.root is None
    if unlinked and now - (episode.ended_at or now) < UNLINKED_SECONDS:
        return Kept(record, now + AGAIN_SECONDS, uncertain=held.in_doubt_since is not None)
    key = warning_key(record.id, episode.began_at)
    over = episode.ended_at is not None
    spec = MessageSpec(KIND, record.channel, None, key, episode.began_at - 60, f"{OVER}{key}" if over else "")
    try:
        if not _just_shown(context, record, episode) and (record.ts or not over):
            if record.finding is None and not over:  # a warning may come before its cause can be told
                record = replace(record, finding=await _likeliest(context, record.id))
                held = replace(held, value=record)
            spec = replace(spec, message=await _message(context, record, episode, pool, incident))
        kept = await keep_message(context, held, spec)
        if kept.due is None and kept.reaction is None:
            kept = replace(kept, record=await _linked(context, kept.record, incident))
    except Unreachable as error:
        if error.system != "Slack":
            raise
        kept = await not_drawn(context, held, spec, error)
    if kept.reaction is Reaction.FALLBACK:
        return replace(kept, record=replace(kept.record, channel=context.settings.file.slack.fallback_channel))
    return replace(kept, record=replace(kept.record, channel="")) if kept.reaction is Reaction.GIVE_UP else kept


async def _message(
    context: Context, record: WarningRecord, episode: EarlyWarning, pool: Pool, incident: Stored[Incident] | None
) -> Message:
    thread = incident.value.thread if incident else None
    address = await context.chat.permalink(thread.channel, thread.root) if thread and thread.root else ""
    scalable = record.id in context.pool_scalers and not (record.finding and record.finding.speaks_against_scaling)
    return warning(WarningView(record.id, episode, pool.early, pool.latest, record.finding, address, scalable))


def _just_shown(context: Context, record: WarningRecord, episode: EarlyWarning) -> bool:
    """Whether at most figures changed, and were shown recently.

    An edit that was under way meanwhile says nothing of the end or the crossing, although it is shown after them.
    """
    crossed = (episode.crossed_at or 0.0) + context.settings.file.timing.lease
    return (
        bool(record.shown)
        and episode.ended_at is None
        and crossed < record.shown_at
        and context.now() - record.shown_at < context.settings.file.paces.report
    )


async def _linked(context: Context, record: WarningRecord, incident: Stored[Incident] | None) -> WarningRecord:
    """The incident mentions once that it was predicted, and how long before."""
    episode = record.warning
    if incident is None or record.linked or record.ts is None or episode is None or episode.ended_at is None:
        return record
    before = incident.value.opened_at - episode.began_at
    address, now = await context.chat.permalink(record.channel, record.ts), context.now()
    once, given = (f"foreseen:{incident.value.id}:{record.id}",), EarlyWarningGiven(record.id, before)
    try:
        move = partial(noted, at=now, event=Event.NOTED, details=given, see=address)
        await keep(context, incident, move, due=now, once=once)
    except AlreadyDone:
        log.info("incident was told of its warning before", incident=incident.value.id)
    return replace(record, linked=True)
