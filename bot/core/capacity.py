"""What more runners would do for a queue: an estimate from the pool's own rates, or the reason why there is none."""

from dataclasses import dataclass

from bot.core.pool import PoolRules, Snapshot
from bot.core.words import count, duration


@dataclass(frozen=True, slots=True)
class Effect:
    """How long the queue takes to drain, in seconds; None: it does not shrink at these rates."""

    without_seconds: float | None
    with_seconds: float | None


def paces(sample: Snapshot) -> tuple[float, ...]:
    """Jobs a minute that one busy runner finishes, by each way that the figures allow: completions, and durations."""
    found = []
    if sample.busy and sample.completions_per_minute:
        found.append(sample.completions_per_minute / sample.busy)
    if sample.duration_p50_seconds:
        found.append(60 / sample.duration_p50_seconds)
    return tuple(found)


def effect(sample: Snapshot, more: int, boot_seconds: float, pace: float) -> Effect | None:
    """Fluid estimate: queue over net rate, `more` runners helping after the boot time at `pace` jobs a minute each.

    None when queue, busy runners or arrivals are unknown.
    """
    if sample.queued is None or sample.busy is None or sample.arrivals_per_minute is None:
        return None
    net_now = pace * sample.busy - sample.arrivals_per_minute
    net_then = net_now + pace * more
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
    if sample.offline:
        warnings.append(f"{count(sample.offline, 'runner')} offline: bringing them back may be what helps.")
    if sample.create_failures:
        failed = count(sample.create_failures, "attempt")
        warnings.append(f"{failed} to create a runner failed in the last 15 min: asking for more may not help.")
    found = [e for pace in paces(sample) if (e := effect(sample, more, rules.boot_time_seconds, pace))]
    if not found:
        reason = "how fast jobs arrive and finish is not known for this pool"
        return (*warnings, f"The effect cannot be foreseen: {reason}.", boot)
    without = _sentence("As it is", [e.without_seconds for e in found])
    return (*warnings, without, _sentence("With them", [e.with_seconds for e in found]), boot)


def _sentence(case: str, estimates: list[float | None]) -> str:
    known = sorted(seconds for seconds in estimates if seconds is not None)
    if not known:
        return f"{case}, at the present rates, the queue does not shrink."
    if len(known) < len(estimates):
        return f"{case}, it is open whether the queue shrinks: at best it drains in about {duration(known[0])}."
    low, high = duration(known[0]), duration(known[-1])
    span = f"about {low}" if low == high else f"between {low} and {high}"
    return f"{case}, at the present rates, the queue drains in {span}."
