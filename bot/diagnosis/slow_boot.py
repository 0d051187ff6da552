"""Machines take far longer than usual to boot (docs/design/diagnosis.md#slow-boots)."""

from itertools import takewhile

from bot.core.finding import MAY_NOT_COME, Facts, Found, Rule, Scaling
from bot.core.pool.baseline import mean, means
from bot.core.statement import statement

SLOWER = 2.5
CERTAINLY, ENOUGH = 5.0, 5.0
"""So many times the usual after so many registrations, no rush looks like it."""
LEAST_BOOTING = 2.0
NONE_YET, UNCOUNTED, UNSEEN = 0.65, 0.55, 0.45
"""Confidence where none has registered lately, or boots would take longer than the trouble has lasted; where nobody
counts registrations; and where nobody counts creates either: the machines may never register.
"""


def find(facts: Facts) -> Found | None:
    """Booting machines divided by registrations per minute, by Little's law, against the boot time.

    While jobs wait, each runner that registers starts one: where nobody counts registrations, there are no more.
    """
    now = facts.now
    recent = facts.recent(20)
    counted = now.registered is not None
    booting, per_minute = means(recent, ("booting", "registered" if counted else "starts_per_minute"))
    if per_minute is None and now.creates is not None and (before := facts.before(15)):  # as many left as came
        booting, per_minute = mean(facts.recent(30), "booting"), (now.creates + (before[-1].creates or 0)) / 30
    if not now.booting or per_minute is None or booting is None or booting < LEAST_BOOTING:
        return None
    per_minute = per_minute / 15 if counted else per_minute
    minutes = booting / per_minute if per_minute else None
    usual = facts.rules.boot_time_seconds / 60
    if minutes is None and booting * usual / 15 < 2:
        return None
    if minutes is not None and minutes < SLOWER * usual:
        return None
    certain = counted and per_minute * 20 > ENOUGH and (minutes or 0.0) > CERTAINLY * usual
    if not (certain or _overdue(facts)) or (now.failed or 0) > 0.3 * now.booting:
        return None
    seconds = None if minutes is None else 60 * minutes
    seen = statement("boots_take", seconds=seconds, usual=60 * usual, booting=now.booting)
    sure = min(0.9, 0.55 + 0.05 * (minutes or 6 * usual) / usual)
    if counted:
        ended = now.registered and 60 * (minutes or 0.0) <= now.at - facts.usual.since
        return Found(sure if ended else min(sure, NONE_YET), (seen,))
    return Found(min(sure, UNSEEN if now.creates is None else UNCOUNTED), (seen,), ("registered",))


def _overdue(facts: Facts) -> bool:
    """Whether machines that were created long ago have not registered; after a rush all are young."""
    now, boot = facts.now, facts.rules.boot_time_seconds
    if none_for(facts) > SLOWER * boot:
        return True
    if boot < 450 and now.creates is not None and (now.booting or 0) > 1.3 * now.creates + 3:
        return True
    lag = 2.2 * boot
    then = [s for s in facts.series if s.at <= now.at - lag and s.creates is not None]
    if now.creates is None:  # then more machines boot at any time than started jobs since
        starts = mean(facts.recent(20), "starts_per_minute") or 0.0
        return min(s.booting or 0 for s in facts.recent(20)) > (lag + 60) / 60 * starts + 1
    return bool(then) and (then[-1].creates or 0) > 1.5 * (now.registered or 0)


def none_for(facts: Facts) -> float:
    """Seconds for which several machines boot and none has registered; each count is of a quarter of an hour."""
    none = list(takewhile(lambda s: s.registered == 0, reversed(facts.series)))
    few = [s.at for s in facts.series if (s.booting or 0) < LEAST_BOOTING]
    return facts.now.at - max(none[-1].at - 900, *few[-1:], facts.series[0].at) if none else 0.0


RULE = Rule(
    "slow_boot",
    find,
    Scaling.HELPS,
    remedy="look_at_boot_log",
    needs=("booting",),
    one_of=("registered", "starts_per_minute", "creates"),
    outranks=("surge", "limit", "too_few"),
    in_vain=MAY_NOT_COME,
)
