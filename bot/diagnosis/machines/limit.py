"""The pool is at its limit with real work, or its limit fell, or is 0."""

from bot.core.finding import HIGH, LOW, MEDIUM, Facts, Found, Rule, Scaling
from bot.core.machines.beside import idle_places, repeated
from bot.core.machines.room import has_room, limit_of, window
from bot.core.pool.backlog import Factor
from bot.core.pool.baseline import means
from bot.core.statement import statement
from bot.diagnosis.machines import failed_fill, slow_boot, unregistered
from bot.diagnosis.work import hung

DEEPER = (failed_fill.find, unregistered.find, unregistered.unseen, slow_boot.find, hung.find)
"""What fills a pool without doing its work; raising the limit is then no remedy."""

FLOWS = ("arrivals_per_minute", "completions_per_minute", "starts_per_minute")
"""Without them nobody can tell a limit from a surge or jobs that hang."""


def find(facts: Facts) -> Found | None:
    """No room below the limit, and none idle; or the limit is 0.

    Not while jobs of one group wait long and all others start within a normal wait: a limit would hold all back.
    """
    now, limit = facts.now, limit_of(facts, facts.now)
    was = (statement("limit_was", limit=facts.usual.limit),) if facts.limit_fell else ()
    back = "restore_limit" if was else ""
    if now.limit == 0:
        return Found(HIGH, (statement("limit_is_zero", busy=now.busy), *was), remedy=back)
    samples = [s for s in window(facts) if not s.idle] or [now]
    full = sum(not has_room(facts, s) for s in samples)
    if not limit or not now.busy or now.idle or now.overtaken or (2 * full < len(samples) and not (was and full)):
        return None
    figures, idle = {"busy": now.busy, "runners": now.busy + (now.booting or 0)}, idle_places(facts)
    back = back or ("free_places" if idle else "")
    if now.limit is None:
        return Found(LOW, (statement("all_busy_as_ever", busy=now.busy, most=limit), *idle), ("limit",), remedy=back)
    seen = (statement("all_busy_at_limit", limit=limit, offline=now.offline, **figures), *was)
    if len(samples) > 2:
        seen = (*seen, statement("often_at_limit", samples=full, of=len(samples)))
    seen = (*seen, *idle, *repeated(facts))
    missing = FLOWS if all(getattr(now, name) is None for name in FLOWS) else ()
    return Found(_sure(facts), seen, missing, remedy=back)


def _sure(facts: Facts) -> float:
    """Direct where it fell, or flow and durations are as usual; low where machines boot and boot, or nothing starts."""
    now, usual = facts.now, facts.usual
    if facts.limit_fell:
        return HIGH
    came, ended, started = means(facts.recent(60), FLOWS)
    if started == 0 or (now.booting or 0) > (now.busy or 0) or any(find(facts) for find in DEEPER):
        return LOW
    longer = hung.takes_longer(facts) or hung.slower_kinds(facts)
    ordinary = came is not None and usual.high is not None and came <= usual.high
    return HIGH if ordinary and ended and not longer and not facts.backlog.late else MEDIUM


RULES = (
    Rule(
        "limit",
        find,
        Scaling.HELPS,
        remedy="raise_limit",
        one_of=("busy", "limit"),
        shows="limit",
        factor=Factor.LIMIT,
        still=False,
    ),
)
