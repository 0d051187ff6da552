"""Runners die under their jobs: jobs start, but neither end nor run."""

from bot.core.finding import MEDIUM, Facts, Found, Rule, Scaling
from bot.core.pool.backlog import Factor
from bot.core.statement import statement

LEAST_SHARE = 0.2
"""Origin: judgement; one of five lost jobs is felt, and reclaims of spot machines take fewer on ordinary days."""


def find(facts: Facts) -> Found | None:
    """Starts minus completions minus the change in busy runners: the jobs whose runner went away."""
    lost = facts.backlog.lost
    if lost is None or lost < LEAST_SHARE or facts.now.idle or facts.limit_fell:
        return None
    missing = ("offline",) if facts.now.offline is None else ()
    return Found(MEDIUM, (statement("jobs_vanished", share=lost),), missing)


RULES = (
    Rule(
        "runners_die",
        find,
        Scaling.HELPS,
        remedy="find_what_kills",
        needs=("starts_per_minute", "completions_per_minute", "busy"),
        factor=Factor.SUPPLY,
        still=False,
    ),
)
