"""Storm mode: when many incidents wait for their thread in one channel, one digest message names them all.

Those that it does not hold are named in replies below it; each is a record of its own.
"""

from collections.abc import Sequence
from dataclasses import replace

from bot.context.context import Context
from bot.context.queries import by_urgency
from bot.context.save import intend
from bot.core.incident.incident import Incident
from bot.core.message import post_lane
from bot.core.record import Change, Claim, Digest, Put, Stored
from bot.ports import Failure
from bot.posting.failures import PLACE_SECONDS, FailureRule, MessageKind, Reaction
from bot.posting.keep_message import Kept, MessageSpec, keep_message, store_and_release
from bot.posting.send import POST_BURST
from bot.views.thread.digest import digest, left_out, page, pages

AGAIN_SECONDS = 3.0
"""How often a digest is updated while incidents still wait, and how often they are sorted."""
KEPT_SECONDS = 86_400.0
"""How long the record of a reply is kept once it is posted."""
_PLACE = FailureRule(Reaction.REST, PLACE_SECONDS, reason="its incidents go to the fallback channel themselves")
KIND = MessageKind("digest", posts={Failure.PLACE: _PLACE}, edits={Failure.PLACE: _PLACE})


async def post_digest(context: Context, claim: Claim) -> None:
    """Post or edit a channel's digest. It ends when every incident has its own thread."""
    held = claim.of(Digest)
    if held.value.thread is not None:
        await _post_page(context, held)
        return
    if not held.value.begun_at:
        held = replace(held, in_doubt_since=None)
    ids = sorted(await context.store.members(f"waiting:{claim.id}"))
    waiting = await _sorted(context, claim.id, ids)
    if not held.value.ts and held.in_doubt_since is None and len(ids) < context.settings.file.slack.storm:
        await store_and_release(context, held, Kept(Digest(claim.id)), None)
        return
    if not held.value.begun_at:
        held = await intend(context, held, replace(held.value, begun_at=context.now()))
    record = replace(held.value, named=tuple(dict.fromkeys((*held.value.named, *ids))))
    # one that was not posted yet is dropped once nobody waits
    message = digest(waiting, len(record.named), context.now(), record.in_replies) if ids or record.ts else None
    key, since = f"digest/{record.begun_at:.3f}", record.begun_at - 60
    spec = MessageSpec(KIND, record.id, message, key, since=since, urgent=True)
    kept = await keep_message(context, replace(held, value=record), spec)
    over = not ids and kept.due is None
    replies = () if over or kept.record.ts is None else _replies(context, kept.record, waiting)
    listed = (*kept.record.in_replies, *(name for one in replies for name in one.named))
    kept = Kept(Digest(claim.id)) if over else replace(kept, record=replace(kept.record, in_replies=listed))
    also = tuple(Put(Stored(one, 0), one, context.now()) for one in replies)
    await store_and_release(context, held, kept, None if over else context.now() + AGAIN_SECONDS, also=also)


def _replies(context: Context, record: Digest, waiting: Sequence[Incident]) -> tuple[Digest, ...]:
    """The replies for incidents that neither the digest nor a reply names yet."""
    parts = pages(left_out(waiting, context.now(), record.in_replies))
    return tuple(
        Digest(
            f"{record.id}#{part[0].id}",
            tuple(one.id for one in part),
            record.begun_at,
            thread=record.ts,
            channel=record.id,
        )
        for part in parts
    )


async def _post_page(context: Context, held: Stored[Digest]) -> None:
    """Post one of these replies; it is never edited."""
    record = held.value
    found = await context.store.get_many(Incident, list(record.named))
    named = [found[one].value for one in record.named if one in found]
    key, since = f"digest/{record.begun_at:.3f}/{record.named[0]}", record.begun_at - 60
    message = page(named) if named else None
    spec = MessageSpec(KIND, record.channel, message, key, since=since, urgent=True, thread=record.thread)
    kept = await keep_message(context, held, spec)
    await store_and_release(context, held, kept, None, keep_seconds=KEPT_SECONDS)


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
