"""The CI provider assigns no jobs: it says so, or runners are idle beside queues in many pools."""

from bot.core.finding import HIGH, LOW, MEDIUM, Facts, Found, Rule, Scaling
from bot.core.statement import statement


def find(facts: Facts) -> Found | None:
    """The provider's own word while it starts nothing, or several pools with idle runners beside a queue."""
    fleet, now = facts.fleet, facts.now
    many, still = bool(now.idle) and len(fleet.idle_beside) > 1, now.starts_per_minute == 0
    alone = bool(now.idle) and still and fleet.provider_up is None
    if fleet.provider_up is not False and not (many or alone):
        return None
    seen = [statement("provider_down")] if fleet.provider_up is False else []
    if now.idle:
        seen.append(statement("idle_beside_queue", idle=now.idle, queued=now.queued))
    if many:
        seen.append(statement("idle_in_many_pools", pools=fleet.idle_beside))
    if still:
        seen.append(statement("nothing_started"))
    missing = tuple(name for name, value in (("provider_up", fleet.provider_up), ("idle", now.idle)) if value is None)
    if fleet.provider_up is False:
        came, started = now.arrivals_per_minute, now.starts_per_minute
        starts = came is not None and started is not None and started > came / 2
        return Found(MEDIUM if starts and not now.idle else HIGH, tuple(seen), missing)
    return Found(LOW if not many else MEDIUM if fleet.provider_up else HIGH, tuple(seen), missing)


RULES = (
    Rule(
        "provider",
        find,
        Scaling.NO,
        remedy="wait_for_provider",
        one_of=("provider_up", "idle"),
        shows="idle",
        in_vain=True,
    ),
)
