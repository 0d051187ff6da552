"""Storm mode: when many incidents wait for their thread in one channel, one digest message names them all."""

from collections.abc import Sequence
from dataclasses import replace

from bot.context.context import Context
from bot.context.queries import by_urgency
from bot.context.save import intend
from bot.core.incident.incident import Incident
from bot.core.message import post_lane
from bot.core.record import Change, Claim, Digest
from bot.ports import Failure
from bot.posting.failures import PLACE_SECONDS, FailureRule, MessageKind, Reaction
from bot.posting.keep_message import Kept, Wanted, keep_message, leave
from bot.posting.send import POST_BURST
from bot.views.thread.digest import digest

AGAIN_SECONDS = 3.0
"""How often a digest is updated while incidents still wait, and how often they are sorted."""
_PLACE = FailureRule(Reaction.REST, PLACE_SECONDS, reason="its incidents go to the fallback channel themselves")
KIND = MessageKind("digest", posts={Failure.PLACE: _PLACE}, edits={Failure.PLACE: _PLACE})


async def post_digest(context: Context, claim: Claim) -> None:
    """Post or edit a channel's digest. It ends when every incident has its own thread."""
    held = claim.of(Digest)
    if not held.value.begun_at:
        held = replace(held, in_doubt_since=None)
    ids = sorted(await context.store.members(f"waiting:{claim.id}"))
    waiting = await _sorted(context, claim.id, ids)
    if not held.value.ts and held.in_doubt_since is None and len(ids) < context.settings.file.slack.storm:
        await leave(context, held, Kept(Digest(claim.id)), None)
        return
    if not held.value.begun_at:
        held = await intend(context, held, replace(held.value, begun_at=context.now()))
    record = replace(held.value, named=tuple(dict.fromkeys((*held.value.named, *ids))))
    # one that was not posted yet is dropped once nobody waits
    message = digest(waiting, len(record.named), context.now()) if ids or record.ts else None
    key, since = f"digest/{record.begun_at:.3f}", record.begun_at - 60
    wanted = Wanted(KIND, record.id, message, key, since=since, urgent=True)
    kept = await keep_message(context, replace(held, value=record), wanted)
    over = not ids and kept.due is None
    await leave(
        context, held, Kept(Digest(claim.id)) if over else kept, None if over else context.now() + AGAIN_SECONDS
    )


async def _sorted(context: Context, channel: str, ids: Sequence[str]) -> list[Incident]:
    """The incidents that wait for their thread, most urgent first, as their threads then come too."""
    held = (await context.store.get_many(Incident, ids)).values()
    waiting = await by_urgency(context, [one.value for one in held])
    order = [one.id for one in waiting]
    lane, pace = f"sort:{channel}", context.settings.file.slack.pace
    if len(order) > 1 and not await context.store.acquire_slot(lane, "digest", AGAIN_SECONDS, 1, urgent=True):
        await context.store.arrange(post_lane(channel), order)
        soon = order[: POST_BURST + round(AGAIN_SECONDS / max(pace, 1.0))]  # these may come before they were to look
        await context.store.commit(Change(wake=tuple(f"inc:{name}" for name in soon)))
    return waiting
