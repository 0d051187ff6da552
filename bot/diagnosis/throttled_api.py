"""The CI provider's API limit is used up, so the autoscaler can neither see nor act until it resets.

See docs/design/diagnosis.md#api-limit.
"""

from bot.core.finding import Cause, Facts, Finding, Rule, Scaling

ALMOST_NONE = 50


def find(facts: Facts) -> Finding | None:
    """Hardly any API calls are left this hour."""
    left = facts.now.api_remaining
    if left is None or left > ALMOST_NONE:
        return None
    seen = f"{left} calls left at the CI provider's API in this hour"
    advice = "Stop what calls so often; it recovers on the hour. Each create costs further calls."
    return Finding(Cause.THROTTLED, 0.85, (seen,), Scaling.HARMFUL, advice)


RULE = Rule(Cause.THROTTLED, find, needs=("api_remaining",))
