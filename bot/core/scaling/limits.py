"""Checks a scale request against limits, step and cooldown, at the request and at execution."""

from dataclasses import dataclass

from bot.core.words import count, duration

BREATH = 2
"""Runners that may come or go between proposal and click."""


@dataclass(frozen=True, slots=True)
class ScalePolicy:
    """The configured limits of one pool; None: unlimited."""

    maximum: int
    """The maximum."""
    minimum: int = 0
    """The scaler's minimum."""
    step: int | None = None
    """The largest increase at once."""
    cooldown_seconds: float = 0.0
    approval_above: int | None = None
    """A target above this needs approval."""
    approval_within_seconds: float = 900.0
    """Time for the approval."""
    lease_seconds: float | None = None
    """Extra runners are returned after this long at the latest; None: never automatically."""
    drained_seconds: float = 600.0
    """How long the queue must be empty before the return."""
    cost_per_runner_hour: float | None = None
    max_cost_per_hour: float | None = None
    """Upper bound for the cost of extra runners."""
    limited_by: str = ""
    """What sets `maximum` if not the configuration, such as "MaxSize of Auto Scaling group ci"."""
    caution: str = ""
    """A note about this kind of scaler for the confirmation: one or two sentences, or empty."""


@dataclass(frozen=True, slots=True)
class LimitVerdict:
    """The result of the check: the target after clamping, and its reason."""

    target: int | None
    """The absolute target to set; None: refused."""
    reason: str = ""
    """Why it is refused, or why the target was changed."""


def judged(  # noqa: PLR0913, PLR0917 - what a verdict rests on
    policy: ScalePolicy,
    asked: int,
    current: int | None,
    last_scaled_at: float | None,
    now: float,
    seen: int = 0,
    *,
    lower: bool = False,
) -> LimitVerdict:
    """Check an absolute target: not below the present size, above the limit, beyond a step, or too soon.

    The step counts from `seen`, the confirmed size, if the pool has shrunk since. A target slightly above the step is
    lowered to it, because pools fluctuate. With `lower`, one far above the step is lowered too, for a new confirmation.
    """
    if current is None:
        return LimitVerdict(None, "The pool's present size is unknown, so no safe target can be set.")
    if reason := _refusal(policy, asked, current, last_scaled_at, now, seen):
        return LimitVerdict(None, reason)
    if policy.step is None or asked <= (allowed := max(current, seen) + policy.step):
        return LimitVerdict(asked)
    limit = f"At most {policy.step:,} more at once: {allowed:,} is the highest target now"
    breathes = asked - allowed <= max(BREATH, policy.step // 10)
    if not (breathes or lower) or allowed < policy.minimum:
        return LimitVerdict(None, f"{limit}; it has {count(current, 'runner')}, and {_open_to(policy, current, seen)}.")
    return LimitVerdict(allowed, f"{limit}, so it is {allowed:,} instead of {asked:,}.")


def _refusal(  # noqa: PLR0913, PLR0917 - what a verdict rests on
    policy: ScalePolicy, asked: int, current: int, last_scaled_at: float | None, now: float, seen: int
) -> str:
    possible = _open_to(policy, current, seen)
    if asked <= current:
        there = "The pool is there already: the" if asked == current else "The"
        return f"{there} target {asked:,} is not above the present {count(current, 'runner')}; {possible}."
    if last_scaled_at is not None and now - last_scaled_at < policy.cooldown_seconds:
        left = policy.cooldown_seconds - (now - last_scaled_at)
        return f"The pool was scaled a moment ago; the next time is possible in {duration(left)}."
    if asked < policy.minimum:
        return f"The scaler of this pool takes no target under {count(policy.minimum, 'runner')}; {possible}."
    if asked <= policy.maximum:
        return ""
    limit = f" of {count(policy.maximum, 'runner')}"
    if policy.limited_by:
        limit = f": it is limited to {count(policy.maximum, 'runner')} by {policy.limited_by}"
    has = f"it has {count(current, 'runner')}, and {possible}"
    return f"The target {asked:,} is above the pool's maximum{limit}; {has}."


def _open_to(policy: ScalePolicy, current: int, seen: int) -> str:
    """The allowed targets now, as the end of a sentence."""
    least = max(current + 1, policy.minimum)
    most = policy.maximum if policy.step is None else min(policy.maximum, max(current, seen) + policy.step)
    if current >= policy.maximum:
        return "it can be raised no further"
    if most < least:
        return "no step leads to a target that it takes"
    return f"{least:,} to {most:,} can be asked for" if most > least else f"only {least:,} can be asked for"


def proposed(policy: ScalePolicy, current: int | None, wanted: int | None) -> int | None:
    """A proposed target within step and maximum; None if nothing can be raised."""
    if current is None or current >= policy.maximum:
        return None
    if policy.step is not None and current + policy.step < policy.minimum:
        return None
    wanted = max(1, wanted if wanted is not None else policy.step or 1)
    most = policy.step if policy.step is not None else wanted
    return min(max(current + min(wanted, most), policy.minimum), policy.maximum)


def overpriced(policy: ScalePolicy, asked: int, base: int) -> str:
    """Why a target would cost too much, with the figure; empty if not. `base` is the size without extra."""
    price, most = policy.cost_per_runner_hour, policy.max_cost_per_hour
    if price is None or most is None or (asked - base) * price <= most + 1e-9:
        return ""
    affordable = base + int((most + 1e-9) / price) if price else asked
    return (
        f"{count(asked - base, 'extra runner')} would cost {(asked - base) * price:,.2f} an hour; "
        f"at most {most:,.2f} is allowed (`max_cost_per_hour`), that is {affordable:,} runners."
    )


def needs_approval(policy: ScalePolicy, asked: int) -> bool:
    """Whether this target needs approval."""
    return policy.approval_above is not None and asked > policy.approval_above
