"""Checks a pool's target against its scaler, its leases and its policy."""

from dataclasses import replace

from bot.context.context import Context, PoolScaler
from bot.core.incident.details.requests import LeaseTerms
from bot.core.record import Stored
from bot.core.requests.request import ExtendLease, Progress, Request, ScaleUp
from bot.core.scaling.lease import PoolLeases
from bot.core.scaling.limits import ScalePolicy, judged, needs_approval, overpriced
from bot.ports import Capacity, Failure, Refused, Unreachable
from bot.requests.permission import check_permission
from bot.views.words import refusals
from bot.views.words.scaling import limit_words


def pool_scaler_of(context: Context, pool: str) -> PoolScaler:
    """The pool's scaler; raises Refused with a remedy."""
    if (pool_scaler := context.pool_scalers.get(pool)) is not None:
        return pool_scaler
    if not pool:
        raise Refused(refusals.POOLS_CHANGED)
    raise Refused(refusals.no_scaler(pool, context.pool_scalers))


def lease_terms(context: Context, pool: str) -> LeaseTerms:
    """The lease rules of a pool: when its extra runners are returned."""
    policy = pool_scaler_of(context, pool).policy
    return LeaseTerms(policy.lease_seconds, policy.drained_seconds)


async def level_of(context: Context, pool: str) -> tuple[int, Capacity]:
    """(present size, all figures of the scaler). Raises Refused without a scaler, Unreachable on failure."""
    capacity = await pool_scaler_of(context, pool).scaler.read()
    if capacity.level is None:
        raise Unreachable(f"{pool}'s scaler", "its size is unknown", failure=Failure.UNKNOWN)
    return capacity.level, capacity


async def check_limits(
    context: Context, pool: str, target: int, *, seen: int = 0, but: str = ""
) -> tuple[int, Capacity, Stored[PoolLeases] | None]:
    """(present size, all figures of the scaler, leases) for a target that may be set.

    Raises Refused with the limit, step, cooldown or cost that it meets. `but` is the request that may have changed the
    pool; `seen`: see `judged`.
    """
    pool_scaler = pool_scaler_of(context, pool)
    try:
        capacity = await pool_scaler.scaler.read()
    except Unreachable as error:
        raise Refused(refusals.size_unknown(pool, error.reason.rstrip("."))) from None
    last = await context.store.find(f"scaled:{context.lease_key(pool)}")
    before = await context.request(last) if last and last != but else None
    scaled_at = before.sent_at if before and before.progress is not Progress.FAILED else None
    hit = judged(policy_within(pool_scaler, capacity), target, capacity.size, scaled_at, context.now(), seen)
    leases, size = await context.store.get(PoolLeases, context.lease_key(pool)), capacity.size or 0
    if hit is None:
        base = leases.value.base if leases and leases.value.leases else size
        hit = overpriced(pool_scaler.policy, target, min(base, size))
    if hit is not None:
        raise Refused(limit_words(hit, context.settings.file.slack.currency))
    return size, capacity, leases


def policy_within(pool_scaler: PoolScaler, capacity: Capacity) -> ScalePolicy:
    """The policy within the scaler's own limits."""
    own = pool_scaler.policy.maximum
    most = own if capacity.maximum is None else min(own, capacity.maximum)
    by = capacity.limited_by if most < own else ""
    return replace(pool_scaler.policy, maximum=most, minimum=capacity.minimum or 0, limited_by=by)


def require_approvers(context: Context, pool: str, target: int, *, in_thread: bool) -> None:
    """Raise Refused if an approval is needed and nobody, or no thread, can be asked."""
    policy = pool_scaler_of(context, pool).policy
    if not needs_approval(policy, target):
        return
    if not context.settings.file.permissions.approve:
        raise Refused(refusals.nobody_approves(policy.approval_above))
    if not in_thread:
        raise Refused(refusals.approve_in_thread(policy.approval_above))


def requested_size(request: Request) -> ScaleUp | ExtendLease:
    """The size that a request asks to have, or to keep; raises TypeError for another kind."""
    return request.body if isinstance(request.body, ExtendLease) else request.of(ScaleUp)


async def check_approval(context: Context, request: Request, target: int) -> None:
    """At execution: raise Refused unless no approval is needed, or somebody else approved exactly this."""
    body = requested_size(request)
    policy = pool_scaler_of(context, body.pool).policy
    if not request.agreed_by:
        if needs_approval(policy, target):
            raise Refused(refusals.nobody_agreed(policy.approval_above))
        return
    if request.agreed_by == request.who or request.agreed_to != request.fingerprint or target != body.target:
        raise Refused(refusals.NOT_WHAT_WAS_AGREED)
    await check_permission(context, request.agreed_by, "approve")
