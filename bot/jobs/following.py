"""Adds and removes followers: one record for each job or pool, one set of records for each person."""

import contextlib
from collections.abc import Callable
from dataclasses import replace

from bot.context.context import Context
from bot.core.jobs.answer import JobsAnswer, JobStanding
from bot.core.jobs.follow import MOST_FOLLOWED, Follower, FollowKind, Follows, follow_id, joined_by, left_by
from bot.core.pool.pool import Pool, Snapshot, fresh
from bot.core.record import Change, Conflict, Put, Stored
from bot.notifications.follows import followed_by, follows_of
from bot.ports import Failure, Refused, Unreachable
from bot.views.words import jobs as words

TRIES = 20
"""Hundreds may press within seconds, and each writes the same record."""
KEPT_SECONDS = 3600.0
"""How long a record without followers is kept, so that a late check finds it."""


async def add_follower(context: Context, who: str, kind: FollowKind, target: str, base: float | None) -> None:
    """Follow it from now on; nothing changes for who follows it already. Raises Refused above MOST_FOLLOWED."""
    found = await follows_of(context, who)
    if any((one.kind, one.target) == (kind, target) for one in found):
        return
    if len(found) >= MOST_FOLLOWED:
        raise Refused(words.too_many(MOST_FOLLOWED))
    new = follow_id(kind, target)

    def joined(held: Stored[Follows] | None) -> Change:
        held = held or Stored(Follows(new), 0)
        after = joined_by(replace(held.value, kind=kind, target=target), Follower(who, context.now(), base))
        put = Put(held, after, context.now() + context.settings.file.timing.poll)
        return Change(puts=(put,), join=((followed_by(who), new),))

    await _write(context, new, joined)


async def remove_follower(context: Context, who: str, follows: Follows) -> None:
    """Follow it no longer."""

    def left(held: Stored[Follows] | None) -> Change:
        leave = ((followed_by(who), follows.id),)
        if held is None:
            return Change(leave=leave)
        after = left_by(held.value, who)
        over = not after.followers
        put = Put(held, after, None if over else context.now(), keep_seconds=KEPT_SECONDS if over else None)
        return Change(puts=(put,), leave=leave)

    await _write(context, follows.id, left)


async def _write(context: Context, follows: str, change: Callable[[Stored[Follows] | None], Change]) -> None:
    """Change the record that many write at the same moment."""
    for _ in range(TRIES):
        held = await context.store.get(Follows, follows)
        with contextlib.suppress(Conflict):
            await context.store.commit(change(held))
            return
    raise Unreachable("Redis", "many people follow this at the same moment", failure=Failure.LATER)


def waits(found: JobsAnswer) -> bool:
    """Whether there is something to follow: a job that has not started."""
    return any(one.state in {JobStanding.WAITING, JobStanding.HELD} for one in found.jobs)


def seconds_left(found: JobsAnswer, now: float) -> float | None:
    """Seconds until the last of the waiting jobs probably starts; None if unknown."""
    known = [
        one.start.median_seconds - (now - one.start.at)
        for one in found.jobs
        if one.start is not None and one.start.median_seconds is not None
    ]
    return max(known, default=None)


async def pool_sample(context: Context, name: str) -> Snapshot | None:
    """The newest sample of a pool; None if there is none of now."""
    held = (await context.store.get_many(Pool, [name], newest=True)).get(name)
    paces = context.settings.file.paces
    return fresh(held.value if held else None, context.now(), max(paces.poll, paces.watch))
