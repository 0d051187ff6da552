"""Failed runners count toward the limit and leave no room for working ones.

See docs/design/diagnosis.md#failed-runners.
"""

from bot.core.finding import Cause, Facts, Finding, Rule, Scaling
from bot.core.words import count


def find(facts: Facts) -> Finding | None:
    """With the failed ones the limit is full, without them it is not (actions/actions-runner-controller#3700)."""
    now = facts.now
    if not now.failed or now.limit is None or now.online is None or now.idle:
        return None
    working = now.online + (now.booting or 0)
    gone = now.offline or 0
    if working + gone >= now.limit or working + now.failed + gone < now.limit:
        return None
    others = f"{working} working, {gone} offline" if gone else f"{working} working"
    seen = f"{others} and {count(now.failed, 'failed runner')} fill the limit of {now.limit}"
    advice = "Delete the failed runners; the autoscaler then creates new ones."
    sure = 0.65 + 0.25 * now.failed / now.limit
    return Finding(Cause.FAILED_FILL, sure, (seen,), Scaling.NO, advice)


RULE = Rule(Cause.FAILED_FILL, find, needs=("failed", "limit", "busy", "idle"))
