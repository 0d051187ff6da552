"""Many incidents wait for their thread in one channel: one digest names them all at once (promises P8, storm mode)."""

from dataclasses import replace

from bot.core.incident import Incident
from bot.core.message import Message
from bot.core.record import Change, Claim, Digest, Held, Put
from bot.desk import Desk
from bot.ports import Failure, Unreachable
from bot.views.blocks import digest_of
from bot.views.digest import digest

AGAIN_SECONDS = 3.0
"""How often a digest is brought up to date while incidents still wait."""
BURST = 3


async def storm(desk: Desk, claim: Claim) -> None:
    """Post or edit a channel's digest; it ends when every incident has its own thread."""
    known = claim.held.value if claim.held else Digest(claim.id)
    record = known if isinstance(known, Digest) else Digest(claim.id)
    version, unsettled = (claim.held.version, claim.held.unsettled) if claim.held else (0, None)
    mine = Held(record, version, claim.fence, unsettled, claim.lease_ends)
    slack, now = desk.settings.file.slack, desk.now()
    ids = sorted(await desk.store.members(f"waiting:{claim.id}"))
    if record.ts is None and len(ids) < slack.storm:
        await _keep(desk, mine, record, None)
        return
    wait = await desk.store.pace(f"post:{claim.id}", "digest", slack.pace, BURST, urgent=True)
    if wait > 0:
        await _keep(desk, mine, record, now + wait)
        return
    held = await desk.store.get_many(Incident, ids)
    waiting = sorted((h.value for h in held.values()), key=lambda incident: incident.opened_at)
    record = replace(record, named=tuple(dict.fromkeys((*record.named, *ids))), begun_at=record.begun_at or now)
    message = digest(waiting, len(record.named), now)
    try:
        after = await _shown(desk, mine, record, message)
    except Unreachable as error:
        unsure = error.failure is Failure.UNKNOWN
        pause = slack.settle if unsure else error.retry_after_seconds or AGAIN_SECONDS
        await _keep(desk, mine, record, now + pause, uncertain=unsure)
        return
    if ids:
        await _keep(desk, mine, after, now + AGAIN_SECONDS)
    else:
        await _keep(desk, mine, Digest(claim.id), None)


async def _shown(desk: Desk, mine: Held[Digest], record: Digest, message: Message) -> Digest:
    drawn, mark = digest_of(message), f"digest/{record.begun_at:.3f}"
    if record.ts is None and mine.unsettled is not None:
        found = await desk.chat.find(record.id, mark, since=record.begun_at - 60)
        record = replace(record, ts=found.ts) if found else record
    if record.ts is None:
        posted = await desk.chat.post(record.id, message, mark=mark)
        return replace(record, ts=posted.ts, shown=drawn, shown_at=desk.now())
    if record.shown != drawn:
        await desk.chat.update(record.id, record.ts, message)
    return replace(record, shown=drawn, shown_at=desk.now())


async def _keep(desk: Desk, mine: Held[Digest], record: Digest, due: float | None, *, uncertain: bool = False) -> None:
    await desk.store.commit(Change(puts=(Put(mine, record, due, uncertain=uncertain),)))
