"""The metrics source is blind: it gives no figures, or only old ones. Unknown is not empty."""

from bot.core.finding import Facts, Found, Rule, Scaling
from bot.core.statement import statement


def find(facts: Facts) -> Found | None:
    """The latest sample failed, is stale, or lacks the queue length."""
    gap = next((gap for gap in facts.now.missing if gap.figure == "queued"), None)
    if facts.trouble is not None:
        seen = statement("not_measured", pool=facts.pool, why=facts.trouble)
    elif facts.series and facts.now.queued is None:
        told = {"figure": gap.figure, "why": gap.words} if gap else {}
        seen = statement("figure_missing" if gap else "queue_unknown", pool=facts.pool, **told)
    elif facts.old:
        seen = statement("old_figures", pool=facts.pool)
    else:
        return None
    return Found(0.8, (seen,))


RULE = Rule("blind", find, Scaling.UNKNOWN, remedy="repair_metric_source", always=True)
