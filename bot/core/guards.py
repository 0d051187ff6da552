"""May this be done: limits, steps and pauses of a scale action, checked when it is asked and again when it is done."""

from dataclasses import dataclass

from bot.core.words import count, duration


@dataclass(frozen=True, slots=True)
class ScalePolicy:
    """What the configuration allows for one pool; None: no such rule."""

    maximum: int
    """Never above."""
    minimum: int = 0
    """The scaler takes nothing under this."""
    step: int | None = None
    """Never more than this at once."""
    cooldown_seconds: float = 0.0
    approval_above: int | None = None
    """A target above this needs a second person."""
    lease_seconds: float | None = None
    cost_per_runner_hour: float | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What may be done: the target after clamping, and the words that go with it."""

    target: int | None
    """The absolute target that may be set; None: nothing may be done."""
    reason: str = ""
    """Why nothing may be done, or why the target is not the one that was asked for."""


def judged(policy: ScalePolicy, asked: int, current: int | None, last_scaled_at: float | None, now: float) -> Verdict:
    """Judge an absolute target: never lower than now, never above the limit, never more than a step, never too soon."""
    if current is None:
        return Verdict(None, "The pool's present size is unknown, so no safe target can be set.")
    if asked <= current:
        return Verdict(None, f"The target {asked:,} is not above the present {count(current, 'runner')}.")
    if last_scaled_at is not None and now - last_scaled_at < policy.cooldown_seconds:
        left = policy.cooldown_seconds - (now - last_scaled_at)
        return Verdict(None, f"The pool was scaled a moment ago; the next time is possible in {duration(left)}.")
    if asked < policy.minimum:
        return Verdict(None, f"The scaler of this pool takes no target under {count(policy.minimum, 'runner')}.")
    if asked > policy.maximum:
        return Verdict(None, f"The target {asked:,} is above the pool's maximum of {count(policy.maximum, 'runner')}.")
    if policy.step is not None and asked - current > policy.step:
        allowed = current + policy.step
        return Verdict(None, f"At most {policy.step:,} more at once: {allowed:,} is the highest target now.")
    return Verdict(asked)


def proposed(policy: ScalePolicy, current: int | None, queued: int | None) -> int | None:
    """A target to start from: enough for the waiting jobs, within step and maximum; None when nothing can be raised."""
    if current is None or current >= policy.maximum:
        return None
    wanted = max(1, queued if queued is not None else policy.step or 1)
    most = policy.step if policy.step is not None else wanted
    return min(max(current + min(wanted, most), policy.minimum), policy.maximum)
