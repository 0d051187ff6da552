"""What more runners would do for a queue: an estimate from the pool's own rates, or the reason why there is none."""

from dataclasses import dataclass

from bot.core.pool import PoolRules, Snapshot
from bot.core.words import count, duration


@dataclass(frozen=True, slots=True)
class Effect:
    """How long the queue takes to drain, in seconds; None: it does not shrink at the present rates."""

    without_seconds: float | None
    with_seconds: float | None


def effect(sample: Snapshot, more: int, boot_seconds: float) -> Effect | None:
    """Fluid estimate: queue over net rate, `more` runners helping after the boot time at the pool's pace per runner.

    None when queue, busy runners, arrivals or completions are unknown, or when nothing completes.
    """
    if sample.queued is None or not sample.busy or not sample.completions_per_minute:
        return None
    if sample.arrivals_per_minute is None:
        return None
    each = sample.completions_per_minute / sample.busy
    net_now = sample.completions_per_minute - sample.arrivals_per_minute
    net_then = net_now + each * more
    without = sample.queued / net_now * 60 if net_now > 0 else None
    after_boot = sample.queued - net_now * boot_seconds / 60
    if after_boot <= 0:
        return Effect(without, without)
    return Effect(without, boot_seconds + after_boot / net_then * 60 if net_then > 0 else None)


def expected(sample: Snapshot | None, more: int, rules: PoolRules) -> tuple[str, ...]:
    """What to expect of `more` runners, as sentences for the person who is about to confirm."""
    boot = f"New runners take about {duration(rules.boot_time_seconds)} to boot; help comes no sooner."
    if sample is None:
        return ("The pool has not been measured, so the effect cannot be foreseen.", boot)
    warnings = []
    if sample.idle:
        warnings.append(f"{count(sample.idle, 'runner')} idle while jobs wait: more runners may not help.")
    found = effect(sample, more, rules.boot_time_seconds)
    if found is None:
        reason = "arrival and completion rates are not known for this pool"
        return (*warnings, f"The effect cannot be foreseen: {reason}.", boot)
    return (*warnings, _sentence("As it is", found.without_seconds), _sentence("With them", found.with_seconds), boot)


def _sentence(case: str, seconds: float | None) -> str:
    if seconds is None:
        return f"{case}, at the present rates, the queue does not shrink."
    return f"{case}, at the present rates, the queue drains in about {duration(seconds)}."
