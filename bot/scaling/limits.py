"""A pool's lever: what is set now, who holds how much of it, and whether a target may be asked of it."""

from dataclasses import dataclass, replace

from bot.context.context import Context, PoolScaler
from bot.core.incident.details.scaling import LeaseTerms
from bot.core.pool.pool import PoolRules
from bot.core.record import Stored
from bot.core.requests.body import ScaleUp
from bot.core.requests.request import Progress, Request
from bot.core.scaling.lease import PoolLeases
from bot.core.scaling.limits import LimitVerdict, ScalePolicy, judged, needs_approval, overpriced
from bot.ports import Capacity, Failure, Refused, Unreachable
from bot.requests.permission import still_permitted


@dataclass(frozen=True, slots=True)
class LimitCheck:
    """A target in the light of this moment."""

    capacity: Capacity
    verdict: LimitVerdict
    lease: Stored[PoolLeases] | None

    @property
    def size(self) -> int:
        """The pool's size now; 0 where it is unknown, and then the verdict refuses."""
        return self.capacity.size or 0


def lever_of(context: Context, pool: str) -> PoolScaler:
    """The pool's scaler; raises Refused with what to do."""
    if (lever := context.levers.get(pool)) is not None:
        return lever
    if not pool:
        raise Refused("The pools have changed since this dialog was opened; close it and open Scale up again.")
    known = ", ".join(sorted(context.levers)) or "none"
    raise Refused(f'Pool "{pool}" has no scaler. Pools that can be scaled: {known}.')


def lease_terms(context: Context, pool: str) -> LeaseTerms:
    """When extra runners of a pool are handed back."""
    policy = lever_of(context, pool).policy
    return LeaseTerms(policy.lease_seconds, policy.drained_seconds)


def boot_seconds(context: Context, pool: str) -> float:
    """How long a new runner takes, in seconds of our own clock."""
    rules = context.settings.file.pools.get(pool, PoolRules(pool))
    return rules.boot_time_seconds


async def level_of(context: Context, pool: str) -> tuple[int, Capacity]:
    """(what is set now, all that the scaler says). Raises Refused without a scaler, Unreachable when it cannot say."""
    capacity = await lever_of(context, pool).scaler.read()
    if capacity.level is None:
        raise Unreachable(f"{pool}'s scaler", "it cannot say what is set now", failure=Failure.UNKNOWN)
    return capacity.level, capacity


async def check_limits(  # noqa: PLR0913 - named at every call
    context: Context, pool: str, target: int, *, seen: int = 0, but: str = "", lower: bool = False
) -> LimitCheck:
    """Judge a target by limit, step, cooldown and cost; `but` is the request that may have moved the pool itself.

    `seen` and `lower`: see `judged`.
    """
    lever = lever_of(context, pool)
    try:
        capacity = await lever.scaler.read()
    except Unreachable as error:
        raise Refused(f"The scaler of {pool} does not answer ({error.what}), so nothing is asked of it.") from None
    last = await context.store.find(f"scaled:{pool}")
    before = await context.request(last) if last and last != but else None
    scaled_at = before.sent_at if before and before.progress is not Progress.FAILED else None
    verdict = judged(within(lever, capacity), target, capacity.size, scaled_at, context.now(), seen, lower=lower)
    lease = await context.store.get(PoolLeases, pool)
    if verdict.target is not None and capacity.size is not None:
        base = lease.value.base if lease and lease.value.shares else capacity.size
        if hit := overpriced(lever.policy, verdict.target, min(base, capacity.size)):
            verdict = LimitVerdict(None, hit)
    return LimitCheck(capacity, verdict, lease)


def within(lever: PoolScaler, capacity: Capacity) -> ScalePolicy:
    """The policy, narrowed by what the scaler itself allows."""
    most = maximum(lever, capacity)
    by = capacity.limited_by if most < lever.policy.maximum else ""
    return replace(lever.policy, maximum=most, minimum=capacity.minimum or 0, limited_by=by)


def maximum(lever: PoolScaler, capacity: Capacity) -> int:
    """The lower of the configured limit and the scaler's own."""
    return lever.policy.maximum if capacity.maximum is None else min(lever.policy.maximum, capacity.maximum)


def askable(context: Context, pool: str, target: int, *, in_thread: bool) -> None:
    """Raise Refused when a second person is needed and there is nobody, or no thread, to ask."""
    policy = lever_of(context, pool).policy
    if not needs_approval(policy, target):
        return
    above = f"A target above {policy.approval_above:,} needs a second person to agree (`approval_above`)"
    if not context.settings.file.permissions.approve:
        raise Refused(f"{above}, but nobody may: `permissions.approve` in tailback.toml is empty. Nothing was done.")
    if not in_thread:
        raise Refused(
            f"{above}, and that is asked for in an incident's thread: press Scale up there. Nothing was done."
        )


async def check_approval(context: Context, request: Request, target: int) -> None:
    """At the moment of doing: raise Refused unless what is done needs nobody, or somebody else agreed to exactly it."""
    asked = request.of(ScaleUp)
    policy = lever_of(context, asked.pool).policy
    if not request.agreed_by:
        if needs_approval(policy, target):
            raise Refused(f"A target above {policy.approval_above:,} needs a second person to agree, and nobody did.")
        return
    if request.agreed_by == request.who or request.agreed_to != request.fingerprint or target != asked.target:
        raise Refused("What could be done now is not exactly what was agreed to. Ask again with Scale up.")
    await still_permitted(context, request.agreed_by, "approve")
