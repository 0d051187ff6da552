"""The CI provider's API limit is used up, so the autoscaler can neither see nor act until it resets.

See docs/design/diagnosis.md#api-limit.
"""

from bot.core.finding import Facts, Found, Rule, Scaling
from bot.core.statement import statement

ALMOST_NONE = 50


def find(facts: Facts) -> Found | None:
    """Hardly any API calls are left this hour."""
    left = facts.now.api_remaining
    if left is None or left > ALMOST_NONE:
        return None
    return Found(0.85, (statement("calls_left", calls=left),))


RULE = Rule(
    "throttled_api",
    find,
    Scaling.HARMFUL,
    remedy="stop_calling",
    needs=("api_remaining",),
    outranks=("surge", "limit", "lost_events", "unknown_label", "too_few"),
)
