"""Machines boot, but their runners never register; more machines cost money and do not help.

See docs/design/diagnosis.md#machines-that-do-not-register.
"""

import math
from dataclasses import replace

from bot.core.finding import Facts, Found, Rule, Scaling
from bot.core.pool.baseline import means
from bot.core.statement import statement
from bot.diagnosis import slow_boot
from bot.diagnosis.slow_boot import SLOWER, none_for

LEAST_CREATES = 3
WINDOW_MINUTES = 15.0
WINDOWS = (14.5, 29.5, 44.5)
"""Minutes ago, at least; each sample counts the quarter of an hour before it."""
LATE_MINUTES = 30.0
"""The sample before a window may be older than it by so much."""
PART = 0.1
"""Share of the created machines that never register, beyond chance."""
TOO_LONG = 8.0
"""Boot times without any registration, from which machines rather never register than slowly."""
RATHER, OLD, OPEN = 0.7, 0.5, 0.45
"""Confidence where they rather do not; where nothing was created lately; and where they may boot still."""


def find(facts: Facts) -> Found | None:
    """What was created has registered, boots still, or is gone.

    Where no failed machine shows it, it is so in two samples in a row: a batch at the edge of a quarter of an hour may
    be counted twice, or not at all.
    """
    now, counted = facts.now, _gone(facts)
    sure = bool(now.failed) or _gone(replace(facts, series=facts.series[:-1])) is not None
    if counted is None or not sure or facts.limit_fell:
        return _none_yet(facts)
    seen = [statement("partly_registered", created=counted[0], registered=counted[1])]
    if now.failed:
        seen.append(statement("booted_without_runner", machines=now.failed))
    missing = tuple(name for name in ("failed", "booting") if getattr(now, name) is None)
    unsure = OPEN if now.booting is None else 0.9 if now.creates else OLD
    return Found(0.9 if now.failed else unsure, tuple(seen), missing)


def _gone(facts: Facts) -> tuple[int, int] | None:
    """(booted, registered) in the shortest of the windows in which clearly fewer registered.

    Without a sample before a window, no machine booted then: so at most too few are gone.
    """
    end, created, registered = facts.now, 0, 0
    for minutes in WINDOWS:
        if end.creates is None or end.registered is None:
            return None
        created, registered = created + end.creates, registered + end.registered
        start = next(iter(facts.before(minutes)[-1:]), None)
        known = start is not None and facts.now.at - start.at < 60 * (minutes + LATE_MINUTES)
        booted = created - (facts.now.booting or 0) + ((start.booting or 0) if start and known else 0)
        if booted - registered >= max(LEAST_CREATES, PART * created + math.sqrt(created)):
            return booted, registered
        if start is None or not known:
            return None
        end = start
    return None


def _none_yet(facts: Facts) -> Found | None:
    """Machines boot for several boot times and none has registered; or they seem slow, and no boot has ended yet."""
    boot, seconds = facts.rules.boot_time_seconds, none_for(facts)
    if seconds < SLOWER * boot:
        slow = slow_boot.find(facts)
        return Found(OPEN, slow.evidence) if slow and slow.confidence <= slow_boot.NONE_YET else None
    seen = statement("boots_take", seconds=None, usual=boot, booting=facts.now.booting)
    return Found(RATHER if seconds >= TOO_LONG * boot else OPEN, (seen,))


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
        LEAST_CREATES + created / WINDOW_MINUTES * facts.rules.boot_time_seconds / 60, 0.2 * now.online
    ):
        return Found(0.6, (statement("booted_without_runner", machines=alone),), ("registered",))
    booted = created * minutes / WINDOW_MINUTES - (now.booting or 0)
    if started is None or booted - started * minutes < max(LEAST_CREATES, 0.4 * booted, 2.5 * max(0.0, booted) ** 0.5):
        return None
    seen = statement("partly_registered", created=round(booted), registered=round(started * minutes))
    return Found(0.6, (seen,), ("registered",))


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
