"""Failed runners count toward the limit and leave no room for working ones."""

from bot.core.finding import HIGH, MEDIUM, Facts, Found, Rule, Scaling
from bot.core.machines.beside import common_mark
from bot.core.machines.room import LEAST_ROOM, PART, has_room
from bot.core.pool.backlog import Factor
from bot.core.statement import statement

LARGE = 0.25
"""Origin: judgement; a quarter of the limit without work is felt, and a tenth (`PART`) may be an ordinary day."""


def find(facts: Facts) -> Found | None:
    """Without the failed ones there would be room; or none boots, and as many failed as jobs wait."""
    now = facts.now
    if not now.failed or now.limit is None or now.online is None or now.idle:
        return None
    if now.failed < max(LEAST_ROOM, PART * now.limit):
        return None  # one failure among many successes
    marked = common_mark(now.failures_by_mark, now.failed)
    if not has_room(facts, now) and (now.offline or 0) < now.limit:
        working = now.online + (now.booting or 0)
        figures = {"working": working, "offline": now.offline, "failed": now.failed, "limit": now.limit}
        sure = HIGH if now.failed >= LARGE * now.limit else MEDIUM
        return Found(sure, (statement("limit_filled", **figures), *marked))
    if now.booting == 0 and now.failed >= (now.queued or 0):
        return Found(MEDIUM, (statement("failed_counted", failed=now.failed, queued=now.queued), *marked))
    return None


RULES = (
    Rule(
        "failed_fill",
        find,
        Scaling.NO,
        remedy="delete_failed_runners",
        needs=("failed", "limit", "busy", "idle"),
        factor=Factor.LIMIT,
    ),
)
