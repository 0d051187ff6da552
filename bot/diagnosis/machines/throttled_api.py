"""The CI provider's API limit is used up, so the autoscaler can neither see nor act until it resets."""

from bot.core.finding import HIGH, LOW, Facts, Found, Rule, Scaling
from bot.core.machines.room import has_room
from bot.core.statement import statement

ALMOST_NONE = 50
"""Origin: judgement; one of a hundred of the 5,000 calls that GitHub gives an hour."""


def find(facts: Facts) -> Found | None:
    """Hardly any API calls are left this hour; no reason where machines still come, or the pool is full."""
    left, now = facts.now.api_remaining, facts.now
    if left is None or left > ALMOST_NONE:
        return None
    comes = bool(now.creates if now.booting is None else now.booting)
    other = comes or (now.limit is not None and not has_room(facts, now))
    return Found(LOW if other else HIGH, (statement("calls_left", calls=left),))


RULES = (Rule("throttled_api", find, Scaling.HARMFUL, remedy="stop_calling", needs=("api_remaining",)),)
