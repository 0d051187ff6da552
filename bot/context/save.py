"""Saves an incident with its indexes, sets and due times in one change."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

import structlog

from bot.context.context import Context
from bot.core.audit_chain import AuditEntry
from bot.core.incident.incident import Incident
from bot.core.paging.page import changed_pages
from bot.core.record import Change, Conflict, Put, Record, Stored

KEPT_AFTER_CLOSE_SECONDS = 30 * 86400.0
"""How long a closed incident can be exported; then `bot.maintenance.expire` deletes it and every index."""
EXPIRES_SECONDS = 2 * KEPT_AFTER_CLOSE_SECONDS
"""When Redis drops the record, if nothing has deleted it before."""
TRIES = 20
UNDELIVERED = "undelivered"
"""The set of open incidents with a message that Slack has not taken; joined with every write, also after an update."""
APPROVE = "approve"
"""The action of a reply whose request waits for a second person; the request ends with its incident."""
RESYNCED = "resynced"
"""The index of when the alert sources were last asked what fires (epoch seconds)."""
LOST_THREADS = "lost"
"""The set of threads without a record whose group has resolved: their channel, `ts` and time."""
LOST = "@"
"""Prefix of an index value for a thread without a record: its channel and `ts`."""

Move = Callable[[Incident], Incident]
NOTHING = Change()

log = structlog.get_logger()


def follows(before: Incident | None, after: Incident) -> Change:
    """The set and index changes of a state change; pure, so that it can be computed again on a conflict."""
    was, now = _sets(before) if before else (), _sets(after)
    join = [one for one in now if one not in was or one[0] == UNDELIVERED]
    leave = [one for one in was if one not in now]
    undecided: tuple[str, ...] = ()
    if before and after.closed and not before.closed:
        join.append(("ended", after.id))
        undecided = tuple(f"act:{one.about}" for one in after.log.timeline if APPROVE in one.choices)
    point: dict[str, tuple[str, str | None]] = {}
    if after.thread.root and (before is None or before.thread.root != after.thread.root):
        point[f"thread:{after.thread.channel}:{after.thread.root}"] = (after.id, None)
    pools = tuple(f"pool:{name.removeprefix('watch:')}" for name, _ in join if name.startswith("watch:"))
    return Change(join=tuple(join), leave=tuple(leave), point=point, wake=(*pools, *undecided))


def _sets(incident: Incident) -> tuple[tuple[str, str], ...]:
    """(set, member) of an incident: open, watched for its pools, and waiting for its first message or for any."""
    unposted = incident.thread.root is None
    names = [f"waiting:{incident.thread.channel}"] if unposted else []
    if not incident.closed:
        names += [*(f"watch:{name}" for name in incident.pools.candidates), "open"]
        if unposted or incident.log.outbox:
            names.append(UNDELIVERED)
    return tuple((name, incident.id) for name in names)


async def keep(  # noqa: PLR0913 - the parts of one atomic change
    context: Context,
    held: Stored[Incident],
    move: Move,
    *,
    due: float | None,
    release: bool = True,
    uncertain: bool = False,
    also: tuple[Put, ...] = (),
    audit: tuple[AuditEntry, ...] = (),
    once: tuple[str, ...] = (),
    wake: tuple[str, ...] = (),
) -> Stored[Incident]:
    """Apply a pure state change and store it; on a conflict, read and apply it again.

    With a claim (`held.fence`) the write counts only while the claim is valid. Raises Conflict if it is lost or after
    many tries, AlreadyDone for a replay, Unreachable if the store is unavailable.
    """
    for _ in range(TRIES):
        after = move(held.value)
        expiry = EXPIRES_SECONDS if after.closed else None
        put = Put(held, after, due, release=release, uncertain=uncertain, keep_seconds=expiry)
        base = follows(held.value if held.version else None, after)
        paging = tuple(f"page:{one}" for one in changed_pages(held.value, after)) if context.pagers else ()
        begun = context.monotonic()
        try:
            await context.store.commit(
                Change(
                    puts=(put, *also),
                    point=base.point,
                    join=base.join,
                    leave=base.leave,
                    once=once,
                    once_value=after.id,
                    wake=(*base.wake, *paging, *wake),
                    audit=audit,
                )
            )
        except Conflict:
            held = await _again(context, held)
            continue
        lease_ends = begun + context.settings.file.timing.lease if held.fence and not release else 0.0
        return Stored(after, held.version + 1, held.fence, held.in_doubt_since, lease_ends or held.lease_ends)
    raise Conflict(f"incident {held.value.id} is being written too often")


R = TypeVar("R", bound=Record)


async def intend(context: Context, held: Stored[R], record: R, change: Change = NOTHING) -> Stored[R]:
    """Store what is about to be done, with further writes; the claim stays, and its lease starts again."""
    lease_ends = context.monotonic() + context.settings.file.timing.lease
    put = Put(held, record, context.now(), release=False)
    await context.store.commit(replace(change, puts=(put, *change.puts)))
    return Stored(record, held.version + 1, held.fence, held.in_doubt_since, lease_ends)


async def _again(context: Context, held: Stored[Incident]) -> Stored[Incident]:
    fresh = await context.store.get(Incident, held.value.id)
    if fresh is None or (held.fence is not None and fresh.version == held.version):
        raise Conflict(f"the claim on incident {held.value.id} was lost")
    return replace(held, value=fresh.value, version=fresh.version)


def put_new(record: Record, due: float | None) -> Put:
    """Write a record that must not exist yet."""
    return Put(Stored(record, 0), record, due)


async def point(context: Context, indexes: Sequence[str], value: str) -> None:
    """Let these point to a value, for all processes."""
    try:
        before = await context.store.find_many(indexes)
        moves = {one: (value, was) for one, was in zip(indexes, before, strict=True)}
        await context.store.commit(Change(point=moves))
    except Conflict:
        log.info("another process found the same at the same time", indexes=indexes)
