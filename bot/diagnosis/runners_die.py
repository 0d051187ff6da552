"""Runners die under their jobs: jobs start, but neither end nor run."""

from bot.core.finding import MAY_NOT_COME, Facts, Found, Rule, Scaling
from bot.core.statement import statement

LEAST_SHARE = 0.2


def find(facts: Facts) -> Found | None:
    """Starts minus completions minus the change in busy runners: the jobs whose runner went away."""
    lost = facts.backlog.lost
    if lost is None or lost < LEAST_SHARE or facts.now.idle:
        return None
    sure, seen = min(0.95, 0.5 + 0.8 * lost), (statement("jobs_vanished", share=lost),)
    if facts.now.offline is None and facts.shrunk:  # then all of them may have gone at once
        return Found(min(sure, 0.6), seen, ("offline",))
    return Found(min(sure, 0.5) if facts.limit_fell else sure, seen)  # runners were taken away


RULE = Rule(
    "runners_die",
    find,
    Scaling.HELPS,
    remedy="find_what_kills",
    needs=("starts_per_minute", "completions_per_minute", "busy"),
    outranks=("surge", "limit", "hung", "too_few", "unknown_label", "lost_events"),
    in_vain=MAY_NOT_COME,
)
