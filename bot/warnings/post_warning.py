"""Keep the early warning of one pool true in Slack: posted once, edited in place, linked to the incident that came."""

import asyncio
from dataclasses import dataclass, replace

import structlog

from bot.context.channels import home_of
from bot.context.context import Desk
from bot.context.save import keep
from bot.core.incident.incident import Incident, noted
from bot.core.incident.timeline import Event
from bot.core.message import Message
from bot.core.pool.early_warning import Ending, Episode, mark_of
from bot.core.pool.pool import Pool
from bot.core.record import AlreadyDone, Change, Claim, Held, Notice, Put
from bot.core.words import duration
from bot.diagnosing.explain import diagnoses, moment_of
from bot.ports import Failure, Unreachable
from bot.posting.once import CREDENTIALS_SECONDS, OVER, PLACE_SECONDS, Said, Sought, look_up
from bot.views.blocks import digest_of
from bot.views.thread.early_warning import Told, warning

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
class Left:
    """How the record is left, when to look again, and whether Slack may have what the record does not say."""

    record: Notice
    due: float | None = None
    uncertain: bool = False


async def forewarn(desk: Desk, claim: Claim) -> None:
    """Bring the message in line with the pool's record; an effect is preceded by its intent, and looked up in doubt."""
    known = claim.held.value if claim.held else None
    record = known if isinstance(known, Notice) else Notice(claim.id)
    version, unsettled = (claim.held.version, claim.held.unsettled) if claim.held else (0, None)
    held = await desk.store.get(Pool, claim.id)
    pool = held.value if held else Pool(claim.id)
    mine = Held(record, version, claim.fence, unsettled if record.episode else None, claim.lease_ends)
    mine, wanted = await _of_episode(desk, mine, pool)
    try:
        left = await _said(desk, mine, pool) if wanted else Left(mine.value)
    except Unreachable as error:
        if error.system != "Slack":
            raise
        left = await _failed(desk, mine, error)
        mine = replace(mine, unsettled=None)  # a doubt now is about this very try
    newest = pool.early.episode
    behind = wanted and newest and left.record.episode and newest.began_at != left.record.episode.began_at
    await _leave(desk, mine, replace(left, due=desk.now()) if behind and left.due is None else left)


async def _of_episode(desk: Desk, mine: Held[Notice], pool: Pool) -> tuple[Held[Notice], bool]:
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
    fresh = Notice(record.id, newest, home_of(desk, pool), why=await _why(desk, pool.id))
    begun = desk.monotonic()
    await desk.store.commit(Change(puts=(Put(mine, fresh, desk.now(), release=False),)))
    ends = begun + desk.settings.file.timing.lease
    return Held(fresh, mine.version + 1, mine.fence, None, ends), bool(fresh.channel)


async def _why(desk: Desk, name: str) -> tuple[str, ...]:
    """The likeliest cause with its evidence, and what helps; empty when nothing fits."""
    file = desk.settings.file
    held = await desk.store.get_many(Pool, list(file.pool))
    pools = {one: record.value for one, record in held.items()}
    paces = replace(file.paces, poll=max(file.paces.poll, file.paces.watch))
    found = diagnoses(list(file.pool), pools, file.pools, moment_of(desk.now(), paces))
    top = next((d.top for d in found if d.pool == name), None)
    if top is None:
        return ()
    cause = f"Likely cause: {top.cause.value} ({top.sureness} confidence). {'; '.join(top.evidence)}."
    return cause, f"What helps: {top.advice} Scaling up {top.scaling.value}."


async def _said(desk: Desk, mine: Held[Notice], pool: Pool) -> Left:
    """Post or edit the message; then the incident that took the warning over is told of it."""
    episode = mine.value.episode
    if episode is None:
        return Left(mine.value)
    incident = await desk.store.get(Incident, episode.incident) if episode.incident else None
    mark = mark_of(mine.value.id, episode.began_at)
    placed = await _placed(desk, mine, episode, incident, mark)
    if isinstance(placed, Left):
        return placed
    words = warning(await _told(desk, placed, episode, pool, incident))
    if placed.ts is not None and (placed.shown == digest_of(words) or _just_shown(desk, placed, episode)):
        return await _linked(desk, placed, incident)
    wait = await _turn(desk, placed)
    if wait > 0 or desk.monotonic() > mine.lease_ends - SAFETY_SECONDS:
        return Left(placed, desk.now() + wait, uncertain=placed.ts is None and mine.unsettled is not None)
    try:
        async with asyncio.timeout(mine.lease_ends - SAFETY_SECONDS - desk.monotonic()):
            ts = await _shown(desk, placed, words, mark)
    except TimeoutError:
        raise Unreachable("Slack", "no answer while the record was ours", failure=Failure.UNKNOWN) from None
    return await _linked(desk, replace(placed, ts=ts, shown=digest_of(words), shown_at=desk.now()), incident)


async def _placed(
    desk: Desk, mine: Held[Notice], episode: Episode, incident: Held[Incident] | None, mark: str
) -> Notice | Left:
    """The record with the message that stands already, if one does; or how it is left, when nothing can be said now."""
    record, now = mine.value, desk.now()
    unlinked = incident is not None and incident.value.thread.root is None
    if unlinked and now - (episode.ended_at or now) < UNLINKED_SECONDS:
        return Left(record, now + AGAIN_SECONDS, uncertain=mine.unsettled is not None)
    if record.ts is not None:
        return record
    found = await look_up(desk, Sought(record.channel, mark, episode.began_at - 60), mine.unsettled)
    if isinstance(found, Said):
        return Left(record, found.again_at, uncertain=True)
    if found is None and episode.ended_at is not None:
        return Left(record)  # it is over, and nobody was ever told
    return replace(record, ts=found.ts) if found else record


async def _told(desk: Desk, record: Notice, episode: Episode, pool: Pool, incident: Held[Incident] | None) -> Told:
    thread = incident.value.thread if incident else None
    address = await desk.chat.permalink(thread.channel, thread.root) if thread and thread.root else ""
    speed, scalable = desk.settings.file.paces.speed, record.id in desk.levers
    return Told(record.id, episode, pool.early, pool.latest, record.why, address, speed, scalable)


def _just_shown(desk: Desk, record: Notice, episode: Episode) -> bool:
    """Whether only figures can have changed, and those were shown a moment ago."""
    changed = max(episode.crossed_at or 0.0, episode.ended_at or 0.0)
    return (
        bool(record.shown)
        and changed < record.shown_at
        and desk.now() - record.shown_at < desk.settings.file.paces.report
    )


async def _turn(desk: Desk, record: Notice) -> float:
    slack = desk.settings.file.slack
    if record.ts is None:
        return await desk.store.pace(f"post:{record.channel}", f"early:{record.id}", slack.pace, BURST, urgent=False)
    return await desk.store.pace("edit", f"early:{record.id}", slack.edit_pace, BURST, urgent=False)


async def _shown(desk: Desk, record: Notice, words: Message, mark: str) -> str:
    """As it was drawn, or in words alone when Slack does not take that; gives the message's `ts`.

    When the end is told, the mark says so: then nothing is lost with the record.
    """
    over = record.episode is not None and record.episode.ended_at is not None
    for form in (words, Message(words.text)):
        try:
            if record.ts is None:
                return (await desk.chat.post(record.channel, form, mark=mark)).ts
            await desk.chat.update(record.channel, record.ts, form, mark=f"{OVER}{mark}" if over else "")
        except Unreachable as error:
            if error.failure is not Failure.SHAPE or form is not words:
                raise
        else:
            return record.ts
    return record.ts or ""


async def _linked(desk: Desk, record: Notice, incident: Held[Incident] | None) -> Left:
    """The incident says, once, that it was foreseen and how long before."""
    episode = record.episode
    if incident is None or record.told or record.ts is None or episode is None or episode.ended_at is None:
        return Left(record)
    before = duration((incident.value.opened_at - episode.began_at) * desk.settings.file.paces.speed)
    words = f"Foreseen: an early warning of {record.id} was given {before} before this alert."
    address, now = await desk.chat.permalink(record.channel, record.ts), desk.now()
    mark = f"foreseen:{incident.value.id}:{record.id}"
    try:
        await keep(desk, incident, lambda one: noted(one, now, Event.NOTED, words, see=address), due=now, once=(mark,))
    except AlreadyDone:
        log.info("incident was told of its warning before", incident=incident.value.id)
    return Left(replace(record, told=True))


async def _failed(desk: Desk, mine: Held[Notice], error: Unreachable) -> Left:
    """Handle a failed Slack call (docs/reliability.md#what-slack-errors-do).

    A warning that somebody deleted is not posted again.
    """
    record, now, slack = mine.value, desk.now(), desk.settings.file.slack
    log.warning("early warning failed", pool=record.id, failure=error.failure, why=error.what)
    posting = record.ts is None
    if error.failure is Failure.GONE:
        return Left(replace(record, channel=""))
    if error.failure is Failure.UNKNOWN:
        return Left(record, now + slack.settle, uncertain=posting)
    if error.failure is Failure.PLACE and posting and slack.fallback_channel not in {"", record.channel}:
        return Left(replace(record, channel=slack.fallback_channel), now)
    pause = error.retry_after_seconds or PAUSES.get(error.failure, AGAIN_SECONDS)
    if error.failure in {Failure.LATER, Failure.CREDENTIALS}:
        await desk.store.hold_lane(f"post:{record.channel}" if posting else "edit", pause)
    return Left(record, now + pause)


async def _leave(desk: Desk, mine: Held[Notice], left: Left) -> None:
    put = Put(mine, left.record, left.due, uncertain=left.uncertain, keep_seconds=KEPT_SECONDS)
    await desk.store.commit(Change(puts=(put,)))
