"""Machines take far longer than usual to boot (docs/design/diagnosis.md#slow-boots)."""

from bot.core.finding import Facts, Found, Rule, Scaling
from bot.core.pool.baseline import mean
from bot.core.statement import statement

SLOWER = 2.5
LEAST_BOOTING = 2.0


def find(facts: Facts) -> Found | None:
    """Booting machines divided by registrations per minute, by Little's law, against the boot time."""
    now = facts.now
    recent = facts.recent(20)
    booting, created = mean(recent, "booting"), mean(recent, "creates")
    if not now.booting or booting is None or booting < LEAST_BOOTING or now.registered is None or created is None:
        return None
    per_minute = (mean(recent, "registered") or 0.0) / 15
    minutes = booting / per_minute if per_minute else None
    usual = facts.rules.boot_time_seconds / 60
    if minutes is None and booting * usual / 15 < 2:
        return None
    if minutes is not None and minutes < SLOWER * usual:
        return None
    if not _overdue(facts):
        return None
    if (now.failed or 0) > 0.3 * now.booting:
        return None
    seconds = None if minutes is None else 60 * minutes
    seen = statement("boots_take", seconds=seconds, usual=60 * usual, booting=now.booting)
    return Found(min(0.9, 0.55 + 0.05 * (minutes or 6 * usual) / usual), (seen,))


def _overdue(facts: Facts) -> bool:
    """Whether machines that were created long ago have not registered; after a rush all are young.

    The same holds of the oldest job's machine, where each waiting job has one for two boot times.
    """
    if facts.rules.boot_time_seconds < 450 and (facts.now.booting or 0) > 1.3 * (facts.now.creates or 0) + 3:
        return True
    lag = 2.2 * facts.rules.boot_time_seconds
    looks = facts.recent(lag / 60)
    if (facts.now.oldest_wait_seconds or 0) > 1.5 * lag and all((s.booting or 0) >= (s.queued or 0) for s in looks):
        return True
    then = [s for s in facts.series if s.at <= facts.now.at - lag and s.creates is not None]
    return bool(then) and (then[-1].creates or 0) > 1.5 * (facts.now.registered or 0)


RULE = Rule(
    "slow_boot",
    find,
    Scaling.UNKNOWN,
    remedy="look_at_boot_log",
    needs=("booting", "creates", "registered"),
    outranks=("surge", "limit", "too_few"),
)
