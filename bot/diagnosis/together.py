"""Many pools queue at once, and no pool has a cause of its own: a release, a shared API, a provider.

See docs/design/diagnosis.md#releases.
"""

from bot.core.finding import Cause, Facts, Finding, Rule, Scaling
from bot.core.words import listed

LEAST_POOLS = 3


def find(facts: Facts) -> Finding | None:
    """At least three pools, and more than half of them."""
    around = facts.around
    if not around.widespread or len(around.queueing) < LEAST_POOLS:
        return None
    seen = [
        f"{len(around.queueing)} of {len(around.measured)} measured pools queue at once ({listed(around.queueing, 3)})"
    ]
    if facts.now.creates == 0 and not facts.now.create_failures:
        refused = "it is unknown whether any was refused" if facts.now.create_failures is None else "none was refused"
        seen.append(f"no machine was created in 15 min, and {refused}")
    advice = "Ask what was released or changed in the last hours, and look at the providers' status pages."
    return Finding(Cause.TOGETHER, 0.4, tuple(seen), Scaling.UNKNOWN, advice, missing=("releases and changes",))


RULE = Rule(Cause.TOGETHER, find)
