"""Checks a scale request against limits, step and cooldown, at the request and at execution."""

from dataclasses import dataclass, replace
from enum import StrEnum

from bot.core.pool.outlook import Lever, RunnerPrice


@dataclass(frozen=True, slots=True)
class ScalePolicy:
    """The configured limits of one pool; None: unlimited."""

    maximum: int
    minimum: int = 0
    step: int | None = None
    """The largest increase at once."""
    cooldown_seconds: float = 0.0
    approval_above: int | None = None
    """A target above this needs approval."""
    approval_within_seconds: float = 900.0
    lease_seconds: float | None = None
    """Extra runners are returned after this long at the latest; None: never automatically."""
    max_lease_seconds: float | None = None
    """The same with all extensions; None: each extension adds a lease."""
    drained_seconds: float = 600.0
    """How long the queue must be empty before the return."""
    price: RunnerPrice | None = None
    max_cost_per_hour: float | None = None
    target: str = ""
    """What it sets, equal for pools of one autoscaler: they share cooldown, cost limit and leases."""
    limited_by: str = ""
    """What sets `maximum` if not the configuration, such as "MaxSize of Auto Scaling group ci"."""
    caution: str = ""
    """A note about this kind of scaler for the dialog: one or two sentences, or empty."""
    lever: Lever = Lever.SIZE
    """What its scaler does when it is asked for more runners."""
    together: int = 1
    """Runners that come and go together on one machine; totals, maximum and step are multiples of it."""

    def in_machines(self, runners: int) -> "ScalePolicy":
        """The policy of a pool with so many runners on a machine: never above its limits, but one machine at least."""
        step = None if self.step is None else max(runners, self.step - self.step % runners)
        return replace(self, together=runners, step=step, maximum=self.maximum - self.maximum % runners)

    def whole(self, target: int) -> int:
        """The total that a target comes to: as many machines as it needs."""
        return -(-target // self.together) * self.together


class LimitReason(StrEnum):
    SIZE_UNKNOWN = "size_unknown"
    NOT_ABOVE = "not_above"
    COOLDOWN = "cooldown"
    BELOW_MINIMUM = "below_minimum"
    ABOVE_MAXIMUM = "above_maximum"
    ABOVE_STEP = "above_step"
    TOO_EXPENSIVE = "too_expensive"


@dataclass(frozen=True, slots=True)
class LimitHit:
    reason: LimitReason
    target: int = 0
    current: int = 0
    limit: int = 0
    """The minimum or maximum, or the highest target that a step or the price allows."""
    step: int = 0
    least: int = 0
    most: int = 0
    """From `least` to `most` can be asked for; none when `most` is lower."""
    full: bool = False
    limited_by: str = ""
    """What sets the maximum when it is not the configuration."""
    wait_seconds: float = 0.0
    extra: int = 0
    cost_per_hour: float = 0.0
    max_cost_per_hour: float = 0.0


def judged(  # noqa: PLR0913, PLR0917 - what a verdict rests on
    policy: ScalePolicy, target: int, current: int | None, last_scaled_at: float | None, now: float, seen: int = 0
) -> LimitHit | None:
    """The limit that an absolute target meets: the present size, the maximum, the step, or the cooldown; else None.

    A target is set exactly as asked, or refused. The step counts from the present size, or from `seen`, the size that
    was confirmed, if the pool has shrunk since.
    """
    if current is None:
        return LimitHit(LimitReason.SIZE_UNKNOWN)
    top = policy.maximum if policy.step is None else min(policy.maximum, max(current, seen) + policy.step)
    hit = LimitHit(
        LimitReason.NOT_ABOVE, target, current, step=policy.step or 0, least=max(current + 1, policy.minimum),
        most=top, full=current >= policy.maximum, limited_by=policy.limited_by,
    )  # fmt: skip
    if target <= current:
        return hit
    if last_scaled_at is not None and (left := policy.cooldown_seconds - (now - last_scaled_at)) > 0:
        return replace(hit, reason=LimitReason.COOLDOWN, wait_seconds=left)
    if target < policy.minimum:
        return replace(hit, reason=LimitReason.BELOW_MINIMUM, limit=policy.minimum)
    if target > policy.maximum:
        return replace(hit, reason=LimitReason.ABOVE_MAXIMUM, limit=policy.maximum)
    return replace(hit, reason=LimitReason.ABOVE_STEP, limit=top) if target > top else None


def proposed(policy: ScalePolicy, current: int | None, more: int | None) -> int | None:
    """A proposed target within step and maximum; None if nothing can be raised."""
    if current is None or current >= policy.maximum:
        return None
    if policy.step is not None and current + policy.step < policy.minimum:
        return None
    more = max(1, more if more is not None else policy.step or 1)
    most = policy.step if policy.step is not None else more
    return min(policy.whole(max(current + min(more, most), policy.minimum)), policy.maximum)


def overpriced(policy: ScalePolicy, target: int, base: int) -> LimitHit | None:
    """The price limit that a target exceeds; None when it does not. `base` is the size without extra."""
    price, most, extra = policy.price, policy.max_cost_per_hour, target - base
    if price is None or most is None:
        return None
    affordable, cost = price.affordable(most), price.an_hour(extra)
    if affordable is None or extra <= affordable:
        return None
    return LimitHit(
        LimitReason.TOO_EXPENSIVE, target, limit=base + affordable, extra=extra, cost_per_hour=cost,
        max_cost_per_hour=most,
    )  # fmt: skip


def needs_approval(policy: ScalePolicy, target: int) -> bool:
    return policy.approval_above is not None and target > policy.approval_above
