"""Extra runners added by Tailback, per pool: the size before, the leases, and the size to return to."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from bot.core.incident.details.requests import (
    ReturnBlock,
    ReturnReason,
    ReturnResult,
    RunnersCame,
    RunnersChecked,
    RunnersReturned,
)
from bot.core.pool.pool import Snapshot
from bot.core.requests.request import Progress, Request
from bot.core.scaling.limits import ScalePolicy

BOOTS = 2
"""Boot times after which missing runners are reported."""
WARN_SECONDS = 600.0
"""How long before its end a lease is announced."""
AGAIN_SECONDS, MOST_AGAIN_SECONDS = 60.0, 3600.0
"""Pause after a failed return, doubled each time up to an hour."""
LEAST_SECONDS = 60.0
"""A shorter extension is none."""
SCALE_UP, HAND_BACK, EXTEND = "scale_up", "hand_back", "extend"
"""The actions on extra capacity, by which replies offer them and the audit trail names them."""


@dataclass(frozen=True, slots=True)
class Lease:
    """The extra runners of one scale-up; `before`, `online` and `queued` are the pool's figures at the request."""

    act: str
    """The scale request; its own record says whether it happened."""
    who: str
    channel: str
    target: int
    before: int
    requested_at: float
    pool: str = ""
    """The pool that was asked for, where several share the target; empty: the record's."""
    incident: str | None = None
    ends_at: float | None = None
    """When it is returned at the latest (epoch seconds); None: never automatically."""
    online: int | None = None
    queued: int | None = None
    verified: str = ""
    """The reported outcome: verified, partly, no effect, or unseen."""
    warned: bool = False
    returning: str = ""
    tries: int = 0
    retry_at: float = 0.0
    stuck: ReturnBlock | None = None
    """Why it cannot be returned now, as reported in the thread."""


@dataclass(frozen=True, slots=True)
class PoolLeases:
    """The record of a pool's extra runners; `id` is the pool.

    It is written with the intent of each scale-up and return, before the effect. So a crash leaves nothing raised
    without a record.
    """

    id: str
    base: int = 0
    """The size before the first lease, or as others set it since; returns never go below it."""
    ours: tuple[tuple[str, int], ...] = ()
    """(request id, level) that Tailback may have set, in order; other levels were set by others."""
    leases: tuple[Lease, ...] = ()
    empty_since: float | None = None
    """Since when every fresh sample was at or under the floor; None: not."""

    def pool_of(self, lease: Lease) -> str:
        return lease.pool or self.id

    def lease(self, request_id: str) -> Lease | None:
        return next((lease for lease in self.leases if lease.act == request_id), None)

    @property
    def levels(self) -> frozenset[int]:
        return frozenset(level for _, level in self.ours)


def leased(leases: PoolLeases | None, lease: Lease, level: int, pool: str) -> PoolLeases:
    """Add a lease with the intent; `level` is the present size.

    A size that others set meanwhile becomes the new base, so it is never returned.
    """
    known = leases if leases is not None and leases.leases else PoolLeases(pool, level)
    others = tuple(one for one in known.leases if one.act != lease.act)
    mine = any(one.act == lease.act for one in known.leases)
    moved = bool(others or mine) and level not in known.levels and level != known.base
    return replace(
        known,
        base=level if moved else known.base,
        ours=_with_level(known.ours, lease.act, lease.target),
        leases=(*others, lease),
    )


def lease_end(leases: PoolLeases, lease: Lease, level: int, minimum: int) -> RunnersReturned:
    """The level after this lease: the highest remaining one, and only from a level that Tailback set.

    Before its runners are verified, a scaler may still answer the size from before: then the level is set all the same.
    """
    rest = [one.target for one in leases.leases if one.act != lease.act and not one.returning]
    goal = max([leases.base, minimum, *rest])
    if level == goal == lease.before and not lease.verified:
        return RunnersReturned(ReturnResult.RETURNED, leases.id, level, goal)
    if level <= goal:
        result = ReturnResult.LEASED if goal in rest else ReturnResult.NOTHING_LEFT
        return RunnersReturned(result, leases.id, level)
    if level not in leases.levels:
        last = leases.ours[-1][1] if leases.ours else lease.target
        return RunnersReturned(ReturnResult.MOVED, leases.id, level, last=last)
    return RunnersReturned(ReturnResult.RETURNED, leases.id, level, goal)


def verdict(lease: Lease, pool: str, sample: Snapshot | None, after: float, boot: float) -> RunnersChecked | None:
    """The outcome of a lease, `after` seconds since the scaler accepted its target; None while it is too early.

    `sample` is the pool since then, None if it was not measured; `boot` is a runner's boot time in seconds.
    """
    early = after < BOOTS * boot
    if sample is None or sample.online is None:
        return None if early else RunnersChecked(RunnersCame.UNSEEN, pool, lease.target, after)
    online, increase = sample.online, lease.target - lease.before
    more = online - (lease.before if lease.online is None else lease.online)
    if more >= increase or online >= lease.target:
        came = RunnersCame.VERIFIED
    elif early:
        return None
    else:
        came = RunnersCame.NO_EFFECT if more <= 0 else RunnersCame.PARTLY
    return RunnersChecked(
        came, pool, lease.target, after, increase, more, online, sample.busy, sample.queued, lease.queued,
        sample.create_failures, sample.limit, sample.booting, sample.offline,
    )  # fmt: skip


def return_target(leases: PoolLeases, back: str, level: int) -> PoolLeases:
    """The intent of a return: from now on its level may be set too."""
    return replace(leases, ours=_with_level(leases.ours, back, level))


def reviewed(leases: PoolLeases, requests: Mapping[str, Request], now: float) -> PoolLeases:
    """The record after reading its requests' results: failed ones and completed returns are dropped."""
    after = leases
    for lease in leases.leases:
        raised, back = requests.get(lease.act), requests.get(lease.returning)
        if raised is not None and raised.finished and not raised.doubtful:
            if raised.progress is not Progress.DONE or raised.shadow:
                after = replace(_dropped(after, raised.id), ours=_without(after.ours, raised.id))
                continue
            after = replace(after, ours=_confirmed(after.ours, raised.id))
        if back is None or not back.finished:
            continue
        if back.progress is Progress.DONE:
            after = replace(_dropped(after, lease.act), ours=_confirmed(after.ours, back.id))
            continue
        pause = min(MOST_AGAIN_SECONDS, AGAIN_SECONDS * 2.0**lease.tries)
        again = replace(lease, returning="", tries=lease.tries + 1, retry_at=now + pause)
        ours = after.ours if back.doubtful else _without(after.ours, back.id)
        after = replace(with_lease(after, again), ours=ours)
    return after if after.leases else replace(after, ours=(), empty_since=None)


def with_queue(leases: PoolLeases, queue_empty: bool | None, now: float) -> PoolLeases:
    """Process one more sample; unknown is not empty."""
    if queue_empty is not True:
        return replace(leases, empty_since=None)
    return leases if leases.empty_since is not None else replace(leases, empty_since=now)


def end_reason(lease: Lease, leases: PoolLeases, now: float, drained_seconds: float) -> ReturnReason | None:
    """Why a lease ends now; None while it continues."""
    if lease.ends_at is None or lease.returning or now < lease.retry_at:
        return None
    if now >= lease.ends_at:
        return ReturnReason.ENDED
    quiet = leases.empty_since is not None and now - max(leases.empty_since, lease.requested_at) >= drained_seconds
    return ReturnReason.DRAINED if quiet else None


def warning_due_at(lease: Lease) -> float:
    """When to announce the end; a short lease is announced in its last third."""
    if lease.ends_at is None or lease.warned:
        return float("inf")
    return lease.ends_at - min(WARN_SECONDS, (lease.ends_at - lease.requested_at) / 3)


def extended_end(lease: Lease, policy: ScalePolicy, now: float) -> float | None:
    """The end after one more lease from now, within the longest; None if that is hardly later than it is."""
    if lease.ends_at is None or policy.lease_seconds is None:
        return None
    longest = float("inf") if policy.max_lease_seconds is None else policy.max_lease_seconds
    until = min(now + policy.lease_seconds, lease.requested_at + longest)
    return until if until - lease.ends_at >= LEAST_SECONDS else None


def with_lease(leases: PoolLeases, lease: Lease) -> PoolLeases:
    return replace(leases, leases=tuple(lease if one.act == lease.act else one for one in leases.leases))


def _dropped(leases: PoolLeases, request_id: str) -> PoolLeases:
    return replace(leases, leases=tuple(lease for lease in leases.leases if lease.act != request_id))


def _with_level(ours: tuple[tuple[str, int], ...], request_id: str, level: int) -> tuple[tuple[str, int], ...]:
    return (*_without(ours, request_id), (request_id, level))


def _without(ours: tuple[tuple[str, int], ...], request_id: str) -> tuple[tuple[str, int], ...]:
    return tuple(one for one in ours if one[0] != request_id)


def _confirmed(ours: tuple[tuple[str, int], ...], request_id: str) -> tuple[tuple[str, int], ...]:
    """Drop levels requested before a confirmed one, which cannot be set any more."""
    place = next((number for number, one in enumerate(ours) if one[0] == request_id), 0)
    return ours[place:]
