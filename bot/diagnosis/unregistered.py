"""Machines boot, but their runners never register; more machines cost money and do not help.

See docs/design/diagnosis.md#machines-that-do-not-register.
"""

import math
from dataclasses import replace

from bot.core.finding import Facts, Found, Rule, Scaling
from bot.core.pool.baseline import means
from bot.core.pool.pool import Snapshot
from bot.core.statement import statement

LEAST_CREATES = 3
WINDOW_MINUTES = 15.0
LOOKS = (14.5, 29.5, 44.5)
"""Minutes ago, at least; each sample counts the quarter of an hour before it."""
FEW, MOST = 0.4, 0.7
"""Share of the booted machines that register at most; the same where others fail meanwhile."""
PART = 0.1
"""Share of the created machines that never register, beyond chance."""


def find(facts: Facts) -> Found | None:
    """Machines were created long enough ago, but few or none of them registered."""
    now = facts.now
    created = now.creates or 0
    booted = max(0, created - (now.booting or 0))
    failed = max(s.failed or 0 for s in facts.recent(WINDOW_MINUTES))
    if now.registered is None:
        return None
    few = booted < LEAST_CREATES and failed < LEAST_CREATES
    if few or now.registered > (MOST if _fail(facts, booted) else FEW) * max(booted, 1):
        return _in_part(facts)
    seen = [statement("created_not_registered", created=created, registered=now.registered)]
    if failed:
        seen.append(statement("booted_without_runner", machines=failed))
    broken = None if created else _before(facts)
    if broken is not None:
        seen.append(statement("created_before", created=broken.creates, registered=broken.registered))
    sure = _sure(broken or now)
    missing = tuple(name for name in ("failed", "booting") if getattr(now, name) is None)
    return Found(sure, tuple(seen), missing)


def _fail(facts: Facts, booted: int) -> bool:
    """Whether so many machines have failed lately as never register where a part of them is broken."""
    before = next((s.failed or 0 for s in reversed(facts.before(WINDOW_MINUTES))), 0)
    return (facts.now.failed or 0) - before >= max(LEAST_CREATES, (1 - MOST) * booted)


def _in_part(facts: Facts) -> Found | None:
    """Some never register: over most of an hour, more were created than have registered or boot longer than before.

    It is so in two samples in a row: a batch at the edge of a quarter of an hour may be counted twice, or not at all.
    """
    lately, before = _counted(facts), _counted(replace(facts, series=facts.series[:-1]))
    if lately is None or before is None or facts.limit_fell:
        return None
    failed = facts.now.failed or 0
    seen = statement("partly_registered", created=lately[0], registered=lately[1])
    more = (statement("booted_without_runner", machines=failed),) if failed else ()
    return Found(0.85 if facts.now.creates else 0.5, (seen, *more))


def _counted(facts: Facts) -> tuple[int, int] | None:
    """(created, registered) over most of an hour, if a part is gone."""
    *ends, start = (facts.now, *(look for minutes in LOOKS for look in facts.before(minutes)[-1:]))
    if len(ends) < len(LOOKS) or facts.now.at - start.at > 75 * 60 or None in {start.booting, facts.now.booting}:
        return None
    counted = [(s.creates, s.registered) for s in ends if s.creates is not None and s.registered is not None]
    created, registered = (sum(numbers) for numbers in zip(*counted, strict=True)) if counted else (0, 0)
    gone = created - registered - ((facts.now.booting or 0) - (start.booting or 0))
    few = len(counted) < len(ends) or gone < max(LEAST_CREATES, PART * created + math.sqrt(created))
    return None if few else (created, registered)


def unseen(facts: Facts) -> Found | None:
    """Where nobody counts registrations: machines fail, are in service without a runner, or are more than jobs start.

    While jobs wait and no runner is idle, each runner that registers starts one.
    """
    now, minutes = facts.now, min(45.0, (facts.now.at - facts.usual.since) / 60)
    looks = facts.recent(minutes)
    if (
        (now.creates is not None and now.registered is not None)
        or minutes < WINDOW_MINUTES
        or any(s.idle for s in looks)
    ):
        return None
    before = next((s.failed for s in looks if s.failed is not None), None)
    if before is not None and (now.failed or 0) - before >= max(LEAST_CREATES, 0.2 * (now.online or 0)):
        return Found(0.6, (statement("booted_without_runner", machines=now.failed),), ("registered",))
    created, started = means(looks, ("creates", "starts_per_minute"))
    if created is None or now.online is None:
        return None
    alone = min((s.machines or 0) - (s.online or 0) - (s.offline or 0) for s in facts.recent(WINDOW_MINUTES))
    if created and alone >= max(
        LEAST_CREATES + created / WINDOW_MINUTES * facts.rules.boot_time_seconds / 30, 0.2 * now.online
    ):
        return Found(0.6, (statement("booted_without_runner", machines=alone),), ("registered",))
    booted = created * minutes / WINDOW_MINUTES - (now.booting or 0)
    if started is None or booted - started * minutes < max(LEAST_CREATES, 0.4 * booted, 2.5 * max(0.0, booted) ** 0.5):
        return None
    seen = statement("partly_registered", created=round(booted), registered=round(started * minutes))
    return Found(0.6, (seen,), ("registered",))


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


RULES = tuple(
    Rule(
        "unregistered",
        test,
        Scaling.HARMFUL,
        remedy="repair_image",
        needs=needs,
        one_of=one_of,
        outranks=("surge", "limit", "lost_events", "too_few", "slow_boot"),
        rules_out=("failed_fill",),
    )
    for test, needs, one_of in ((find, ("creates", "registered"), ()), (unseen, (), ("failed", "creates")))
)
