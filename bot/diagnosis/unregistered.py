"""Machines boot, but their runners never register; more machines cost money and do not help.

See docs/design/diagnosis.md#machines-that-do-not-register.
"""

from bot.core.finding import Facts, Found, Rule, Scaling
from bot.core.pool.pool import Snapshot
from bot.core.statement import statement

LEAST_CREATES = 3


def find(facts: Facts) -> Found | None:
    """Machines were created long enough ago, but few or none of them registered."""
    now = facts.now
    created = now.creates or 0
    booted = max(0, created - (now.booting or 0))
    failed = now.failed or 0
    if now.registered is None or (booted < LEAST_CREATES and failed < LEAST_CREATES):
        return None
    if now.registered > 0.4 * max(booted, 1):
        return None
    seen = [statement("created_not_registered", created=created, registered=now.registered)]
    if failed:
        seen.append(statement("booted_without_runner", machines=failed))
    broken = None if created else _before(facts)
    if broken is not None:
        seen.append(statement("created_before", created=broken.creates, registered=broken.registered))
    sure = _sure(broken or now)
    missing = tuple(name for name in ("failed", "booting") if getattr(now, name) is None)
    return Found(sure, tuple(seen), missing)


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


RULE = Rule(
    "unregistered",
    find,
    Scaling.HARMFUL,
    remedy="repair_image",
    needs=("creates", "registered"),
    outranks=("surge", "limit"),
    rules_out=("failed_fill",),
)
