"""The queue is unknown: its source fails, gives old figures, or does not tell it. Unknown is not empty."""

from bot.core.finding import HIGH, Facts, Found, Rule, Scaling
from bot.core.statement import statement

FAILED = "repair_metric_source"
"""The remedy where a source failed; elsewhere nothing is broken."""


def find(facts: Facts) -> Found | None:
    """The latest sample failed, is stale, or lacks the queue's length."""
    gap = next((gap for gap in facts.now.missing if gap.figure == "queued"), None)
    if not facts.blind:
        return None
    if facts.trouble is not None:
        return Found(HIGH, (statement("not_measured", pool=facts.pool, why=facts.trouble),), remedy=FAILED)
    if facts.now.queued is None and facts.series:
        details = {"figure": gap.figure, "why": gap.words} if gap else {}
        return Found(HIGH, (statement("figure_missing" if gap else "queue_unknown", pool=facts.pool, **details),))
    return Found(HIGH, (statement("old_figures", pool=facts.pool),), remedy=FAILED)


RULES = (Rule("blind", find, Scaling.UNKNOWN, remedy="find_the_queue", always=True, still=False),)
