"""Many pools queue at once, and no pool has a cause of its own: a release, a shared API, a provider."""

from bot.core.finding import LOW, Facts, Found, Rule, Scaling
from bot.core.pool.backlog import Factor
from bot.core.statement import statement

LEAST_POOLS = 3
"""Origin: judgement; two pools may queue by chance."""


def find(facts: Facts) -> Found | None:
    """At least three pools, and more than half of them."""
    fleet = facts.fleet
    if not fleet.widespread or len(fleet.queueing) < LEAST_POOLS:
        return None
    seen = [statement("pools_queue_at_once", pools=fleet.queueing, measured=len(fleet.measured))]
    if facts.now.creates == 0 and not facts.now.create_failures:
        seen.append(statement("nothing_created", refused=facts.now.create_failures))
    return Found(LOW, tuple(seen), ("changes",))


RULES = (Rule("together", find, Scaling.UNKNOWN, remedy="ask_what_changed", factor=Factor.UNKNOWN, still=False),)
