"""Machines boot, but their runners never register; more machines cost money and do not help.

See docs/design/diagnosis.md#machines-that-do-not-register.
"""

from bot.core.finding import Cause, Facts, Finding, Rule, Scaling
from bot.core.pool.pool import Snapshot
from bot.core.words import count

LEAST_CREATES = 3


def find(facts: Facts) -> Finding | None:
    """Machines were created long enough ago, but few or none of them registered."""
    now = facts.now
    created = now.creates or 0
    booted = max(0, created - (now.booting or 0))
    failed = now.failed or 0
    if now.registered is None or (booted < LEAST_CREATES and failed < LEAST_CREATES):
        return None
    if now.registered > 0.4 * max(booted, 1):
        return None
    seen = [f"{count(created, 'machine')} created in the last 15 min, {now.registered} registered"]
    if failed:
        seen.append(f"{count(failed, 'machine')} booted without a runner registering")
    broken = None if created else _before(facts)
    if broken is not None:
        seen.append(f"of {count(broken.creates, 'machine')} created in 15 min before, {broken.registered} registered")
    sure = _sure(broken or now)
    advice = "Repair the image or its start script before anything is created; look at one machine's boot log."
    missing = tuple(name for name in ("failed", "booting") if getattr(now, name) is None)
    return Finding(Cause.UNREGISTERED, sure, tuple(seen), Scaling.HARMFUL, advice, missing=missing)


def _before(facts: Facts) -> Snapshot | None:
    """The latest earlier sample in whose 15 min machines were created and hardly any registered."""
    for sample in reversed(facts.series):
        booted = (sample.creates or 0) - (sample.booting or 0)
        if booted >= LEAST_CREATES and sample.registered is not None:
            return sample if sample.registered <= 0.4 * booted else None
    return None


def _sure(now: Snapshot) -> float:
    """Confidence: old failures prove nothing now, and new machines may still boot if nobody counts booting ones."""
    if not now.creates:
        return 0.5
    if now.failed:
        return 0.9
    if now.booting is None:
        return 0.45
    return 0.9 if now.creates - now.booting >= 6 else 0.7


RULE = Rule(Cause.UNREGISTERED, find, needs=("creates", "registered"))
