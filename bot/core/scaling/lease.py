"""Extra capacity that was asked for here, pool by pool: what it was before, who holds how much, and what goes back."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from bot.core.incident.details.scaling import ReturnBlock, ReturnReason, ReturnResult, RunnersReturned
from bot.core.requests.request import Progress, Request

WARN_SECONDS = 600.0
"""How long before its end a lease is spoken of."""
AGAIN_SECONDS, MOST_AGAIN_SECONDS = 60.0, 3600.0
"""How long after a hand-back that did not work the next one is tried: twice as long each time, up to an hour."""
SCALE_UP, HAND_BACK, EXTEND = "scale_up", "hand_back", "extend"
"""The actions on extra capacity, by which replies offer them and the audit trail names them."""
SCALE_UP_CONFIRM = "scale_up_confirm"
"""Callback id of the question before a scale-up is stored."""


@dataclass(frozen=True, slots=True)
class Lease:
    """One scale action's part of the extra capacity of a pool."""

    act: str
    """The scale action; whether it happened stands in its own record."""
    who: str
    channel: str
    target: int
    before: int
    """The pool's size when it was asked."""
    asked_at: float
    incident: str | None = None
    ends_at: float | None = None
    """When it is handed back at the latest (epoch seconds); None: never by itself."""
    online: int | None = None
    """Runners online when it was asked."""
    queued: int | None = None
    """Jobs queued when it was asked."""
    verified: str = ""
    """What came of it, once that was told: verified, partly, no effect, or unseen."""
    warned: bool = False
    returning: str = ""
    """The request that hands it back now."""
    tries: int = 0
    """Hand-backs that did not work."""
    retry_at: float = 0.0
    stuck: ReturnBlock | None = None
    """Why it cannot be handed back now, as the thread was told."""


@dataclass(frozen=True, slots=True)
class PoolLeases:
    """The record of one pool's extra capacity; `id` is the pool.

    It is written with the intent of each scale action and of each hand-back, before the effect: whatever happens to
    the process in between, what may have been raised is known, and is handed back.
    """

    id: str
    base: int = 0
    """What was set before the first share, or what others set since: nothing goes below it."""
    ours: tuple[tuple[str, int], ...] = ()
    """(request id, level) that may be set now by our doing, in the order asked; anything else was set by others."""
    shares: tuple[Lease, ...] = ()
    empty_since: float | None = None
    """Since when every fresh sample has shown a queue at or under the floor; None: it has not."""

    def share(self, request_id: str) -> Lease | None:
        """The share of a scale action."""
        return next((share for share in self.shares if share.act == request_id), None)

    @property
    def levels(self) -> frozenset[int]:
        """What may be set by our doing."""
        return frozenset(level for _, level in self.ours)


def leased(lease: PoolLeases | None, share: Lease, level: int, pool: str) -> PoolLeases:
    """One more share, in the moment its intent is written; `level` is what is set now.

    What others set meanwhile is the new base, so that it is never handed back.
    """
    known = lease if lease is not None and lease.shares else PoolLeases(pool, level)
    others = tuple(one for one in known.shares if one.act != share.act)
    mine = any(one.act == share.act for one in known.shares)
    moved = bool(others or mine) and level not in known.levels and level != known.base
    return replace(
        known,
        base=level if moved else known.base,
        ours=_asked(known.ours, share.act, share.target),
        shares=(*others, share),
    )


def lease_end(lease: PoolLeases, share: Lease, level: int, minimum: int) -> RunnersReturned:
    """Where the level goes when this share ends: to the highest of what remains, and only from where we put it."""
    rest = [one.target for one in lease.shares if one.act != share.act and not one.returning]
    goal = max([lease.base, minimum, *rest])
    if level <= goal:
        result = ReturnResult.LEASED if goal in rest else ReturnResult.NOTHING_LEFT
        return RunnersReturned(result, lease.id, level)
    if level not in lease.levels:
        last = lease.ours[-1][1] if lease.ours else share.target
        return RunnersReturned(ReturnResult.MOVED, lease.id, level, last=last)
    return RunnersReturned(ReturnResult.RETURNED, lease.id, level, goal)


def giving_back(lease: PoolLeases, share: Lease, back: str) -> PoolLeases:
    """A hand-back was asked for."""
    return with_share(lease, replace(share, returning=back))


def return_target(lease: PoolLeases, back: str, level: int) -> PoolLeases:
    """The intent of a hand-back: from now on that level may be set too."""
    return replace(lease, ours=_asked(lease.ours, back, level))


def reviewed(lease: PoolLeases, requests: Mapping[str, Request], now: float) -> PoolLeases:
    """The record after a look at what became of its requests: what never happened and what went back is dropped."""
    after = lease
    for share in lease.shares:
        after = _back_reviewed(
            _raise_reviewed(after, requests.get(share.act)), share.act, requests.get(share.returning), now
        )
    return after if after.shares else replace(after, ours=(), empty_since=None)


def _raise_reviewed(lease: PoolLeases, request: Request | None) -> PoolLeases:
    if request is None or not request.finished or request.doubtful or lease.share(request.id) is None:
        return lease
    if request.progress is Progress.DONE and not request.shadow:
        return replace(lease, ours=_confirmed(lease.ours, request.id))
    return replace(_dropped(lease, request.id), ours=tuple(one for one in lease.ours if one[0] != request.id))


def _back_reviewed(lease: PoolLeases, share_act: str, back: Request | None, now: float) -> PoolLeases:
    share = lease.share(share_act)
    if share is None or back is None or not back.finished:
        return lease
    if back.progress is Progress.DONE:
        return replace(_dropped(lease, share_act), ours=_confirmed(lease.ours, back.id))
    pause = min(MOST_AGAIN_SECONDS, AGAIN_SECONDS * 2.0**share.tries)
    again = replace(share, returning="", tries=share.tries + 1, retry_at=now + pause)
    ours = lease.ours if back.doubtful else tuple(one for one in lease.ours if one[0] != back.id)
    return replace(with_share(lease, again), ours=ours)


def looked(lease: PoolLeases, queue_empty: bool | None, now: float) -> PoolLeases:
    """One more look at the queue; what is unknown is not empty."""
    if queue_empty is not True:
        return replace(lease, empty_since=None)
    return lease if lease.empty_since is not None else replace(lease, empty_since=now)


def over(share: Lease, lease: PoolLeases, now: float, drained_seconds: float) -> ReturnReason | None:
    """Why a share ends now; None while it goes on."""
    if share.ends_at is None or share.returning or now < share.retry_at:
        return None
    if now >= share.ends_at:
        return ReturnReason.ENDED
    quiet = lease.empty_since is not None and now - max(lease.empty_since, share.asked_at) >= drained_seconds
    return ReturnReason.DRAINED if quiet else None


def warning_due_at(share: Lease) -> float:
    """When to say that the end is near; a short lease is not spoken of before its last third."""
    if share.ends_at is None or share.warned:
        return float("inf")
    return share.ends_at - min(WARN_SECONDS, (share.ends_at - share.asked_at) / 3)


def extended(lease: PoolLeases, share: Lease, ends_at: float) -> PoolLeases:
    """The end is put off."""
    return with_share(lease, replace(share, ends_at=ends_at, warned=False))


def with_share(lease: PoolLeases, share: Lease) -> PoolLeases:
    """The record with one share replaced."""
    return replace(lease, shares=tuple(share if one.act == share.act else one for one in lease.shares))


def _dropped(lease: PoolLeases, request_id: str) -> PoolLeases:
    return replace(lease, shares=tuple(share for share in lease.shares if share.act != request_id))


def _asked(ours: tuple[tuple[str, int], ...], request_id: str, level: int) -> tuple[tuple[str, int], ...]:
    return (*(one for one in ours if one[0] != request_id), (request_id, level))


def _confirmed(ours: tuple[tuple[str, int], ...], request_id: str) -> tuple[tuple[str, int], ...]:
    """What was asked before a confirmed request cannot stand any more."""
    place = next((number for number, one in enumerate(ours) if one[0] == request_id), 0)
    return ours[place:]
