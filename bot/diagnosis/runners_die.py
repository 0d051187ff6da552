"""Runners die under their jobs: jobs start, but neither end nor run."""

from bot.core.finding import Facts, Found, Rule, Scaling
from bot.core.statement import statement

LEAST_SHARE = 0.2


def find(facts: Facts) -> Found | None:
    """Starts minus completions minus the change in busy runners: the jobs whose runner went away."""
    lost = facts.backlog.lost
    if lost is None or lost < LEAST_SHARE or facts.now.idle:
        return None
    return Found(min(0.95, 0.5 + 0.8 * lost), (statement("jobs_vanished", share=lost),))


RULE = Rule(
    "runners_die",
    find,
    Scaling.NO,
    remedy="find_what_kills",
    needs=("starts_per_minute", "completions_per_minute", "busy"),
    outranks=("surge", "limit", "hung"),
)
