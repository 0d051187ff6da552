"""Failed runners count toward the limit and leave no room for working ones.

See docs/design/diagnosis.md#failed-runners.
"""

from bot.core.finding import Facts, Found, Rule, Scaling
from bot.core.statement import statement


def find(facts: Facts) -> Found | None:
    """With the failed ones the limit is full, without them it is not (actions/actions-runner-controller#3700)."""
    now = facts.now
    if not now.failed or now.limit is None or now.online is None or now.idle:
        return None
    working = now.online + (now.booting or 0)
    gone = now.offline or 0
    if working + gone >= now.limit or working + now.failed + gone < now.limit:
        return None
    seen = statement("limit_filled", working=working, offline=gone, failed=now.failed, limit=now.limit)
    return Found(0.65 + 0.25 * now.failed / now.limit, (seen,))


RULE = Rule(
    "failed_fill",
    find,
    Scaling.NO,
    remedy="delete_failed_runners",
    needs=("failed", "limit", "busy", "idle"),
    outranks=("surge", "limit"),
)
