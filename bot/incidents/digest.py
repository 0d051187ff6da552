"""Many incidents wait for their thread in one channel: one digest names them all at once (P8, storm mode)."""

from dataclasses import dataclass, replace

import structlog

from bot.context.context import Context
from bot.core.incident.incident import Incident
from bot.core.message import Message
from bot.core.record import Change, Claim, Digest, Put, Stored
from bot.ports import Failure, Unreachable
from bot.posting.once import CREDENTIALS_SECONDS, PLACE_SECONDS, Lookup, Outcome, find_posted
from bot.views.blocks import digest_of
from bot.views.thread.digest import digest

AGAIN_SECONDS = 3.0
"""How often a digest is brought up to date while incidents still wait."""
BURST = 3
PAUSES = {Failure.CREDENTIALS: CREDENTIALS_SECONDS, Failure.PLACE: PLACE_SECONDS, Failure.SHAPE: PLACE_SECONDS}
"""Seconds before the next try, where trying again soon cannot help."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class DigestState:
    """How a digest is left: its record, when to look again, and whether Slack may have what the record does not say."""

    record: Digest
    due: float | None
    uncertain: bool = False


async def post_digest(context: Context, claim: Claim) -> None:
    """Post or edit a channel's digest; it ends when every incident has its own thread."""
    known = claim.held.value if claim.held else Digest(claim.id)
    record = known if isinstance(known, Digest) else Digest(claim.id)
    version, in_doubt_since = (claim.held.version, claim.held.in_doubt_since) if claim.held else (0, None)
    mine = Stored(record, version, claim.fence, in_doubt_since if record.begun_at else None, claim.lease_ends)
    ids = sorted(await context.store.members(f"waiting:{claim.id}"))
    if record.ts is None and mine.in_doubt_since is None and len(ids) < context.settings.file.slack.storm:
        await _leave(context, mine, DigestState(Digest(claim.id), None))
        return
    if not record.begun_at:
        mine = await _intended(context, mine)
    held = await context.store.get_many(Incident, ids)
    waiting = sorted((h.value for h in held.values()), key=lambda incident: incident.opened_at)
    record = replace(mine.value, named=tuple(dict.fromkeys((*mine.value.named, *ids))))
    try:
        left = await _said(context, mine, record, digest(waiting, len(record.named), context.now()), over=not ids)
    except Unreachable as error:
        if error.system != "Slack":
            raise
        left = await _failed(context, mine, record, error)
        mine = replace(mine, in_doubt_since=None)  # a doubt now is about this very try
    await _leave(context, mine, left)


async def _intended(context: Context, mine: Stored[Digest]) -> Stored[Digest]:
    """The intent, stored before anything is posted: it gives the message the mark by which it is found again."""
    record = replace(mine.value, begun_at=context.now())
    await context.store.commit(Change(puts=(Put(mine, record, context.now(), release=False),)))
    return replace(mine, value=record, version=mine.version + 1)


async def _said(context: Context, mine: Stored[Digest], record: Digest, message: Message, *, over: bool) -> DigestState:
    mark, drawn = f"digest/{record.begun_at:.3f}", digest_of(message)
    again, ended = context.now() + AGAIN_SECONDS, DigestState(Digest(record.id), None)
    if record.ts is None:
        found = await find_posted(context, Lookup(record.id, mark, record.begun_at - 60), mine.in_doubt_since)
        if isinstance(found, Outcome):
            return DigestState(record, found.again_at, uncertain=True)
        record = replace(record, ts=found.ts) if found else record
    if record.ts is None and over:
        return ended
    if record.shown != drawn:
        wait = await _turn(context, record)
        if wait > 0:
            return DigestState(
                record, context.now() + wait, uncertain=record.ts is None and mine.in_doubt_since is not None
            )
        record = replace(record, ts=await _shown(context, record, message, mark), shown=drawn, shown_at=context.now())
    return ended if over else DigestState(record, again)


async def _turn(context: Context, record: Digest) -> float:
    slack = context.settings.file.slack
    if record.ts is None:
        return await context.store.acquire_slot(f"post:{record.id}", "digest", slack.pace, BURST, urgent=True)
    return await context.store.acquire_slot("edit", f"digest:{record.id}", slack.edit_pace, BURST, urgent=True)


async def _shown(context: Context, record: Digest, message: Message, mark: str) -> str:
    if record.ts is None:
        return (await context.chat.post(record.id, message, mark=mark)).ts
    await context.chat.update(record.id, record.ts, message)
    return record.ts


async def _failed(context: Context, mine: Stored[Digest], record: Digest, error: Unreachable) -> DigestState:
    """A digest repeats what the incidents' own records hold: it is tried again, or given up when it was deleted."""
    log.warning("digest failed", channel=record.id, failure=error.failure, why=error.what)
    now, posting = context.now(), mine.value.ts is None
    if error.failure is Failure.GONE:
        return DigestState(Digest(record.id), now + AGAIN_SECONDS)
    if error.failure is Failure.UNKNOWN:
        return DigestState(record, now + context.settings.file.slack.settle, uncertain=posting)
    pause = error.retry_after_seconds or PAUSES.get(error.failure, AGAIN_SECONDS)
    if error.failure in {Failure.LATER, Failure.CREDENTIALS}:
        await context.store.pause_lane(f"post:{record.id}" if posting else "edit", pause)
    return DigestState(record, now + pause)


async def _leave(context: Context, mine: Stored[Digest], left: DigestState) -> None:
    await context.store.commit(Change(puts=(Put(mine, left.record, left.due, uncertain=left.uncertain),)))
