"""Machines boot, but their runners never register, or take no job; more machines cost money and do not help."""

from collections.abc import Sequence
from itertools import takewhile

from bot.core.finding import HIGH, LOW, MEDIUM, Facts, Found, Rule, Scaling
from bot.core.machines.beside import common_mark, machines_alone
from bot.core.machines.room import LEAST_ROOM
from bot.core.pool.baseline import COUNTED_MINUTES, mean, means
from bot.core.pool.pool import Snapshot
from bot.core.statement import statement

SOON = 3
"""Origin: judgement; quarters of an hour in which a third is enough."""
PART = 1 / 3
"""Origin: judgement; one of three machines that never works slows a pool clearly, fewer may be chance."""
FEW = 1 / 5
"""Origin: judgement; every fifth machine is lost money and places, and over a whole incident no chance."""
LONG, TOO_LONG = 2.5, 8.0
"""Origin: judgement; a boot of two and a half times the usual is another boot, and after eight none will end."""


def find(facts: Facts) -> Found | None:
    """Of what was created in three quarters of an hour, a third has neither registered nor boots still.

    Or a fifth, of all that was created in a longer incident.
    """
    now, booted, registered = facts.now, 0, 0
    ends = _ends(facts)
    for number, (end, older) in enumerate(zip(ends, [*ends[1:], None], strict=True)):
        if end.creates is None or end.registered is None:
            break
        booted, registered = booted + end.creates, registered + end.registered
        began = booted - (now.booting or 0) + ((older.booting or 0) if older else 0)
        if _clear(began, began - registered, PART if number < SOON else FEW) and not facts.limit_fell:
            failed = [statement("booted_without_runner", machines=now.failed)] if now.failed else []
            marked = common_mark(now.failures_by_mark, now.failed or 0)
            seen = (statement("partly_registered", created=began, registered=registered), *failed, *marked)
            missing = tuple(name for name in ("failed", "booting") if getattr(now, name) is None)
            return Found(LOW if now.booting is None and not now.failed else HIGH, seen, missing)
    return _none_yet(facts)


def _ends(facts: Facts) -> list[Snapshot]:
    """The last sample of each quarter of an hour since the trouble began, newest first, while these follow one another.

    What registered between two quarters would be seen in neither.
    """
    ends, most = [facts.now], max(SOON, round((facts.now.at - facts.usual.since) / 60 / COUNTED_MINUTES))
    while len(ends) < most:
        older = facts.before((facts.now.at - ends[-1].at) / 60 + COUNTED_MINUTES - 0.5)[-1:]
        if not older or ends[-1].at - older[0].at > 60 * COUNTED_MINUTES + 60:
            break
        ends += older
    return ends


def _clear(booted: float, gone: float, part: float = PART) -> bool:
    """Whether so many that are gone are such a part, and beyond the chance of counting at an edge."""
    return booted > 0 and gone >= max(part * booted, booted**0.5, LEAST_ROOM + 1)


def _none_yet(facts: Facts) -> Found | None:
    """Several boot for eight boot times, and none has registered; before that it is an open question."""
    boot, seconds = facts.rules.boot_time_seconds, none_for(facts)
    if seconds < LONG * boot:
        return None
    seen = statement("boots_take", seconds=None, usual=boot, booting=facts.now.booting)
    return Found(MEDIUM if seconds >= TOO_LONG * boot else LOW, (seen,))


def none_for(facts: Facts) -> float:
    """Seconds for which several machines boot and none has registered; each count is of a quarter of an hour."""
    none = list(takewhile(lambda s: s.registered == 0, reversed(facts.series)))
    few = [s.at for s in facts.series if (s.booting or 0) < LEAST_ROOM]
    return facts.now.at - max(none[-1].at - 60 * COUNTED_MINUTES, *few[-1:], facts.series[0].at) if none else 0.0


def unseen(facts: Facts) -> Found | None:
    """Where nobody counts registrations: machines fail, hold places without a runner, or are more than jobs start.

    While jobs wait and no runner is idle, each runner that registers starts one (actions-runner-controller#3953).
    """
    now, samples = facts.now, facts.recent(min(SOON * COUNTED_MINUTES, (facts.now.at - facts.usual.since) / 60))
    if (
        (now.creates is not None and now.registered is not None)
        or any(s.idle for s in samples)
        or len(samples) <= LEAST_ROOM
    ):
        return None
    minutes, working = (samples[-1].at - samples[0].at) / 60, now.online or 0
    first = next((s.failed for s in samples if s.failed is not None), None)
    alone = min(machines_alone(facts, s) or 0 for s in facts.recent(COUNTED_MINUTES))
    if first is not None and _clear(working, (now.failed or 0) - first):
        return Found(MEDIUM, (statement("booted_without_runner", machines=now.failed),), ("registered",))
    coming = mean(samples, "creates") or 0.0
    if coming and _clear(working, alone - coming / COUNTED_MINUTES * facts.rules.boot_time_seconds / 60):
        return Found(MEDIUM, (statement("booted_without_runner", machines=alone),), ("registered",))
    booted, started = _booted(facts, samples, minutes), mean(samples, "starts_per_minute")
    if minutes < COUNTED_MINUTES or booted is None or started is None or not _clear(booted, booted - started * minutes):
        return None
    jobs, boots = round(started * minutes), mean(samples, "booting") or 0.0
    seen = statement("partly_started", created=round(booted), started=jobs)
    if not coming:
        seen = statement("few_started", booting=round(boots), started=jobs, minutes=round(minutes))
    return Found(MEDIUM, (seen,), ("registered",))


def _booted(facts: Facts, samples: Sequence[Snapshot], minutes: float) -> float | None:
    """Machines that have booted: by their creates, else by those that boot at any time (Little's law)."""
    created, booting = means(samples, ("creates", "booting"))
    per_minute = created / COUNTED_MINUTES if created is not None else None
    if per_minute is None and booting is not None:
        per_minute = booting / (facts.rules.boot_time_seconds / 60)
    return None if per_minute is None else per_minute * minutes - (facts.now.booting or 0)


RULES = tuple(
    Rule("unregistered", test, Scaling.HARMFUL, remedy="repair_image", needs=needs, one_of=one_of)
    for test, needs, one_of in ((find, ("creates", "registered"), ()), (unseen, (), ("failed", "creates", "booting")))
)
