"""Many incidents wait for their thread in one channel: one digest names them all at once (P8, storm mode)."""

from dataclasses import dataclass, replace

import structlog

from bot.context.context import Desk
from bot.core.incident.incident import Incident
from bot.core.message import Message
from bot.core.record import Change, Claim, Digest, Held, Put
from bot.ports import Failure, Unreachable
from bot.posting.once import CREDENTIALS_SECONDS, PLACE_SECONDS, Said, Sought, look_up
from bot.views.blocks import digest_of
from bot.views.thread.digest import digest

AGAIN_SECONDS = 3.0
"""How often a digest is brought up to date while incidents still wait."""
BURST = 3
PAUSES = {Failure.CREDENTIALS: CREDENTIALS_SECONDS, Failure.PLACE: PLACE_SECONDS, Failure.SHAPE: PLACE_SECONDS}
"""Seconds before the next try, where trying again soon cannot help."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Left:
    """How a digest is left: its record, when to look again, and whether Slack may have what the record does not say."""

    record: Digest
    due: float | None
    uncertain: bool = False


async def storm(desk: Desk, claim: Claim) -> None:
    """Post or edit a channel's digest; it ends when every incident has its own thread."""
    known = claim.held.value if claim.held else Digest(claim.id)
    record = known if isinstance(known, Digest) else Digest(claim.id)
    version, unsettled = (claim.held.version, claim.held.unsettled) if claim.held else (0, None)
    mine = Held(record, version, claim.fence, unsettled if record.begun_at else None, claim.lease_ends)
    ids = sorted(await desk.store.members(f"waiting:{claim.id}"))
    if record.ts is None and mine.unsettled is None and len(ids) < desk.settings.file.slack.storm:
        await _leave(desk, mine, Left(Digest(claim.id), None))
        return
    if not record.begun_at:
        mine = await _intended(desk, mine)
    held = await desk.store.get_many(Incident, ids)
    waiting = sorted((h.value for h in held.values()), key=lambda incident: incident.opened_at)
    record = replace(mine.value, named=tuple(dict.fromkeys((*mine.value.named, *ids))))
    try:
        left = await _said(desk, mine, record, digest(waiting, len(record.named), desk.now()), over=not ids)
    except Unreachable as error:
        if error.system != "Slack":
            raise
        left = await _failed(desk, mine, record, error)
        mine = replace(mine, unsettled=None)  # a doubt now is about this very try
    await _leave(desk, mine, left)


async def _intended(desk: Desk, mine: Held[Digest]) -> Held[Digest]:
    """The intent, stored before anything is posted: it gives the message the mark by which it is found again."""
    record = replace(mine.value, begun_at=desk.now())
    await desk.store.commit(Change(puts=(Put(mine, record, desk.now(), release=False),)))
    return replace(mine, value=record, version=mine.version + 1)


async def _said(desk: Desk, mine: Held[Digest], record: Digest, message: Message, *, over: bool) -> Left:
    mark, drawn = f"digest/{record.begun_at:.3f}", digest_of(message)
    again, ended = desk.now() + AGAIN_SECONDS, Left(Digest(record.id), None)
    if record.ts is None:
        found = await look_up(desk, Sought(record.id, mark, record.begun_at - 60), mine.unsettled)
        if isinstance(found, Said):
            return Left(record, found.again_at, uncertain=True)
        record = replace(record, ts=found.ts) if found else record
    if record.ts is None and over:
        return ended
    if record.shown != drawn:
        wait = await _turn(desk, record)
        if wait > 0:
            return Left(record, desk.now() + wait, uncertain=record.ts is None and mine.unsettled is not None)
        record = replace(record, ts=await _shown(desk, record, message, mark), shown=drawn, shown_at=desk.now())
    return ended if over else Left(record, again)


async def _turn(desk: Desk, record: Digest) -> float:
    slack = desk.settings.file.slack
    if record.ts is None:
        return await desk.store.pace(f"post:{record.id}", "digest", slack.pace, BURST, urgent=True)
    return await desk.store.pace("edit", f"digest:{record.id}", slack.edit_pace, BURST, urgent=True)


async def _shown(desk: Desk, record: Digest, message: Message, mark: str) -> str:
    if record.ts is None:
        return (await desk.chat.post(record.id, message, mark=mark)).ts
    await desk.chat.update(record.id, record.ts, message)
    return record.ts


async def _failed(desk: Desk, mine: Held[Digest], record: Digest, error: Unreachable) -> Left:
    """A digest repeats what the incidents' own records hold: it is tried again, or given up when it was deleted."""
    log.warning("digest failed", channel=record.id, failure=error.failure, why=error.what)
    now, posting = desk.now(), mine.value.ts is None
    if error.failure is Failure.GONE:
        return Left(Digest(record.id), now + AGAIN_SECONDS)
    if error.failure is Failure.UNKNOWN:
        return Left(record, now + desk.settings.file.slack.settle, uncertain=posting)
    pause = error.retry_after_seconds or PAUSES.get(error.failure, AGAIN_SECONDS)
    if error.failure in {Failure.LATER, Failure.CREDENTIALS}:
        await desk.store.hold_lane(f"post:{record.id}" if posting else "edit", pause)
    return Left(record, now + pause)


async def _leave(desk: Desk, mine: Held[Digest], left: Left) -> None:
    await desk.store.commit(Change(puts=(Put(mine, left.record, left.due, uncertain=left.uncertain),)))
