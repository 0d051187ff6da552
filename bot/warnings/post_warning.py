"""Keep the early warning of one pool true in Slack: posted once, edited in place, linked to the incident that came."""

import asyncio
from dataclasses import dataclass, replace

import structlog

from bot.context.channels import home_of
from bot.context.context import Context
from bot.context.save import keep
from bot.core.incident.incident import Incident, noted
from bot.core.incident.timeline import Event
from bot.core.message import Message
from bot.core.pool.early_warning import EarlyWarning, Ending, warning_key
from bot.core.pool.pool import Pool
from bot.core.record import AlreadyDone, Change, Claim, Put, Stored, WarningRecord
from bot.core.words import duration
from bot.diagnosing.explain import diagnoses, moment_of
from bot.ports import Failure, Unreachable
from bot.posting.once import CREDENTIALS_SECONDS, OVER, PLACE_SECONDS, Lookup, Outcome, find_posted
from bot.views.blocks import digest_of
from bot.views.thread.early_warning import WarningView, warning
from bot.views.words.diagnosis import likely_cause, what_helps

BURST = 3
SAFETY_SECONDS = 0.2
"""Nothing is sent in the last moment of a lease."""
AGAIN_SECONDS = 5.0
"""How soon an incident without a thread is looked at again, to link to it."""
UNLINKED_SECONDS = 120.0
"""After that long the end is told without a link."""
KEPT_SECONDS = 7 * 86400.0
PAUSES = {Failure.CREDENTIALS: CREDENTIALS_SECONDS, Failure.PLACE: PLACE_SECONDS, Failure.SHAPE: PLACE_SECONDS}

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class WarningState:
    """How the record is left, when to look again, and whether Slack may have what the record does not say."""

    record: WarningRecord
    due: float | None = None
    uncertain: bool = False


async def post_warning(context: Context, claim: Claim) -> None:
    """Bring the message in line with the pool's record; an effect is preceded by its intent, and looked up in doubt."""
    known = claim.held.value if claim.held else None
    record = known if isinstance(known, WarningRecord) else WarningRecord(claim.id)
    version, in_doubt_since = (claim.held.version, claim.held.in_doubt_since) if claim.held else (0, None)
    held = await context.store.get(Pool, claim.id)
    pool = held.value if held else Pool(claim.id)
    mine = Stored(record, version, claim.fence, in_doubt_since if record.episode else None, claim.lease_ends)
    mine, wanted = await _of_episode(context, mine, pool)
    try:
        left = await _said(context, mine, pool) if wanted else WarningState(mine.value)
    except Unreachable as error:
        if error.system != "Slack":
            raise
        left = await _failed(context, mine, error)
        mine = replace(mine, in_doubt_since=None)  # a doubt now is about this very try
    newest = pool.early.episode
    behind = wanted and newest and left.record.episode and newest.began_at != left.record.episode.began_at
    await _leave(context, mine, replace(left, due=context.now()) if behind and left.due is None else left)


async def _of_episode(context: Context, mine: Stored[WarningRecord], pool: Pool) -> tuple[Stored[WarningRecord], bool]:
    """(the record with the newest warning, whether there is something to say); a new warning's intent is stored."""
    record, newest = mine.value, pool.early.episode
    if newest is None:
        return mine, False
    if record.episode is not None and record.episode.began_at == newest.began_at:
        return replace(mine, value=replace(record, episode=newest)), bool(record.channel)
    if record.episode is not None and record.episode.ended_at is None:
        gone = replace(record.episode, ending=Ending.EXPIRED, ended_at=newest.began_at)
        return replace(mine, value=replace(record, episode=gone)), bool(record.channel)
    if newest.ended_at is not None:
        return mine, False  # it came and went before anybody could be told
    fresh = WarningRecord(record.id, newest, home_of(context, pool), why=await _why(context, pool.id))
    begun = context.monotonic()
    await context.store.commit(Change(puts=(Put(mine, fresh, context.now(), release=False),)))
    ends = begun + context.settings.file.timing.lease
    return Stored(fresh, mine.version + 1, mine.fence, None, ends), bool(fresh.channel)


async def _why(context: Context, name: str) -> tuple[str, ...]:
    """The likeliest cause with its evidence, and what helps; empty when nothing fits."""
    file = context.settings.file
    held = await context.store.get_many(Pool, list(file.pool))
    pools = {one: record.value for one, record in held.items()}
    paces = replace(file.paces, poll=max(file.paces.poll, file.paces.watch))
    found = diagnoses(list(file.pool), pools, file.pools, moment_of(context.now(), paces))
    top = next((d.top for d in found if d.pool == name), None)
    if top is None:
        return ()
    return f"Likely cause: {likely_cause(top)}", f"What helps: {what_helps(top)}"


async def _said(context: Context, mine: Stored[WarningRecord], pool: Pool) -> WarningState:
    """Post or edit the message; then the incident that took the warning over is told of it."""
    episode = mine.value.episode
    if episode is None:
        return WarningState(mine.value)
    incident = await context.store.get(Incident, episode.incident) if episode.incident else None
    mark = warning_key(mine.value.id, episode.began_at)
    placed = await _placed(context, mine, episode, incident, mark)
    if isinstance(placed, WarningState):
        return placed
    words = warning(await _told(context, placed, episode, pool, incident))
    if placed.ts is not None and (placed.shown == digest_of(words) or _just_shown(context, placed, episode)):
        return await _linked(context, placed, incident)
    wait = await _turn(context, placed)
    if wait > 0 or context.monotonic() > mine.lease_ends - SAFETY_SECONDS:
        return WarningState(
            placed, context.now() + wait, uncertain=placed.ts is None and mine.in_doubt_since is not None
        )
    try:
        async with asyncio.timeout(mine.lease_ends - SAFETY_SECONDS - context.monotonic()):
            ts = await _shown(context, placed, words, mark)
    except TimeoutError:
        raise Unreachable("Slack", "no answer while the record was ours", failure=Failure.UNKNOWN) from None
    return await _linked(context, replace(placed, ts=ts, shown=digest_of(words), shown_at=context.now()), incident)


async def _placed(
    context: Context, mine: Stored[WarningRecord], episode: EarlyWarning, incident: Stored[Incident] | None, mark: str
) -> WarningRecord | WarningState:
    """The record with the message that stands already, if one does; or how it is left, when nothing can be said now."""
    record, now = mine.value, context.now()
    unlinked = incident is not None and incident.value.thread.root is None
    if unlinked and now - (episode.ended_at or now) < UNLINKED_SECONDS:
        return WarningState(record, now + AGAIN_SECONDS, uncertain=mine.in_doubt_since is not None)
    if record.ts is not None:
        return record
    found = await find_posted(context, Lookup(record.channel, mark, episode.began_at - 60), mine.in_doubt_since)
    if isinstance(found, Outcome):
        return WarningState(record, found.again_at, uncertain=True)
    if found is None and episode.ended_at is not None:
        return WarningState(record)  # it is over, and nobody was ever told
    return replace(record, ts=found.ts) if found else record


async def _told(
    context: Context, record: WarningRecord, episode: EarlyWarning, pool: Pool, incident: Stored[Incident] | None
) -> WarningView:
    thread = incident.value.thread if incident else None
    address = await context.chat.permalink(thread.channel, thread.root) if thread and thread.root else ""
    speed, scalable = context.settings.file.paces.speed, record.id in context.levers
    return WarningView(record.id, episode, pool.early, pool.latest, record.why, address, speed, scalable)


def _just_shown(context: Context, record: WarningRecord, episode: EarlyWarning) -> bool:
    """Whether only figures can have changed, and those were shown a moment ago."""
    changed = max(episode.crossed_at or 0.0, episode.ended_at or 0.0)
    return (
        bool(record.shown)
        and changed < record.shown_at
        and context.now() - record.shown_at < context.settings.file.paces.report
    )


async def _turn(context: Context, record: WarningRecord) -> float:
    slack = context.settings.file.slack
    if record.ts is None:
        return await context.store.acquire_slot(
            f"post:{record.channel}", f"early:{record.id}", slack.pace, BURST, urgent=False
        )
    return await context.store.acquire_slot("edit", f"early:{record.id}", slack.edit_pace, BURST, urgent=False)


async def _shown(context: Context, record: WarningRecord, words: Message, mark: str) -> str:
    """As it was drawn, or in words alone when Slack does not take that; gives the message's `ts`.

    When the end is told, the mark says so: then nothing is lost with the record.
    """
    over = record.episode is not None and record.episode.ended_at is not None
    for form in (words, Message(words.text)):
        try:
            if record.ts is None:
                return (await context.chat.post(record.channel, form, mark=mark)).ts
            await context.chat.update(record.channel, record.ts, form, mark=f"{OVER}{mark}" if over else "")
        except Unreachable as error:
            if error.failure is not Failure.SHAPE or form is not words:
                raise
        else:
            return record.ts
    return record.ts or ""


async def _linked(context: Context, record: WarningRecord, incident: Stored[Incident] | None) -> WarningState:
    """The incident says, once, that it was foreseen and how long before."""
    episode = record.episode
    if incident is None or record.told or record.ts is None or episode is None or episode.ended_at is None:
        return WarningState(record)
    before = duration((incident.value.opened_at - episode.began_at) * context.settings.file.paces.speed)
    words = f"Foreseen: an early warning of {record.id} was given {before} before this alert."
    address, now = await context.chat.permalink(record.channel, record.ts), context.now()
    mark = f"foreseen:{incident.value.id}:{record.id}"
    try:
        await keep(
            context, incident, lambda one: noted(one, now, Event.NOTED, words, see=address), due=now, once=(mark,)
        )
    except AlreadyDone:
        log.info("incident was told of its warning before", incident=incident.value.id)
    return WarningState(replace(record, told=True))


async def _failed(context: Context, mine: Stored[WarningRecord], error: Unreachable) -> WarningState:
    """Handle a failed Slack call (docs/reliability.md#what-slack-errors-do).

    A warning that somebody deleted is not posted again.
    """
    record, now, slack = mine.value, context.now(), context.settings.file.slack
    log.warning("early warning failed", pool=record.id, failure=error.failure, why=error.what)
    posting = record.ts is None
    if error.failure is Failure.GONE:
        return WarningState(replace(record, channel=""))
    if error.failure is Failure.UNKNOWN:
        return WarningState(record, now + slack.settle, uncertain=posting)
    if error.failure is Failure.PLACE and posting and slack.fallback_channel not in {"", record.channel}:
        return WarningState(replace(record, channel=slack.fallback_channel), now)
    pause = error.retry_after_seconds or PAUSES.get(error.failure, AGAIN_SECONDS)
    if error.failure in {Failure.LATER, Failure.CREDENTIALS}:
        await context.store.pause_lane(f"post:{record.channel}" if posting else "edit", pause)
    return WarningState(record, now + pause)


async def _leave(context: Context, mine: Stored[WarningRecord], left: WarningState) -> None:
    put = Put(mine, left.record, left.due, uncertain=left.uncertain, keep_seconds=KEPT_SECONDS)
    await context.store.commit(Change(puts=(put,)))
