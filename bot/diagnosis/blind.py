"""The metrics source is blind: it gives no figures, or only old ones. Unknown is not empty."""

from bot.core.finding import Facts, Found, Rule, Scaling
from bot.core.statement import Statement, statement


def find(facts: Facts) -> Found | None:
    """The latest sample failed, is stale, or lacks the queue length."""
    seen = _seen(facts)
    return None if seen is None else Found(0.8, (seen,))


def _seen(facts: Facts) -> Statement | None:
    if facts.trouble is not None:
        return statement("not_measured", pool=facts.pool, why=facts.trouble)
    if facts.series and facts.now.queued is None:
        gap = next((gap for gap in facts.now.missing if gap.figure == "queued"), None)
        if gap is None:
            return statement("queue_unknown", pool=facts.pool)
        return statement("figure_missing", pool=facts.pool, figure=gap.figure, why=gap.words)
    return statement("old_figures", pool=facts.pool) if facts.old else None


RULE = Rule("blind", find, Scaling.UNKNOWN, remedy="repair_metric_source", always=True)
