"""Failed runners count toward the limit and leave no room for working ones.

See docs/design/diagnosis.md#failed-runners.
"""

from bot.core.finding import Facts, Found, Rule, Scaling
from bot.core.statement import statement
from bot.diagnosis.limit import NEARLY


def find(facts: Facts) -> Found | None:
    """Only with the failed ones the limit is full; or none boots, and as many failed as jobs wait."""
    now = facts.now
    if not now.failed or now.limit is None or now.online is None or now.idle:
        return None
    working = now.online + (now.booting or 0)
    gone = now.offline or 0
    filled = working + now.failed + gone >= NEARLY * now.limit
    if working + gone >= now.limit or not (filled or _counted(facts)):
        return None
    seen = statement("limit_filled", working=working, offline=gone, failed=now.failed, limit=now.limit)
    if not filled:
        seen = statement("failed_counted", failed=now.failed, queued=now.queued)
    return Found(0.65 + 0.25 * now.failed / now.limit, (seen,))


def _counted(facts: Facts) -> bool:
    """Whether an autoscaler that counts failed runners as running sees one for each waiting job."""
    looks = [s for s in facts.recent(15) if s.failed is not None]
    return len(looks) > 2 and all((s.failed or 0) >= max(2, s.queued or 0) and s.booting == 0 for s in looks)


RULE = Rule(
    "failed_fill",
    find,
    Scaling.NO,
    remedy="delete_failed_runners",
    needs=("failed", "limit", "busy", "idle"),
    outranks=("surge", "limit", "lost_events", "too_few", "unknown_label"),
)
