"""Events came late: the jobs are older than their arrival, and drain as machines boot."""

from bot.core.finding import MEDIUM, Facts, Found, Rule, Scaling
from bot.core.pool.backlog import Factor
from bot.core.statement import statement
from bot.diagnosis.figures.stale_rows import LIVE_SECONDS

CLEARLY = 2.0
"""Origin: some sources count a job only after a normal wait (PyTorch: 5 min); twice that is more than their delay."""


def find(facts: Facts) -> Found | None:
    """The oldest job was made long before the queue was last empty (githubstatus.com, 2023-08-15 and 2024-07-05)."""
    now, wait = facts.now, facts.now.oldest_wait_seconds or 0.0
    empty = [s.at for s in facts.series if s.queued == 0]
    if not empty or wait > LIVE_SECONDS or now.at - empty[-1] + CLEARLY * facts.normal_wait > wait:
        return None
    return Found(MEDIUM, (statement("came_late", made_seconds=wait, arrived_seconds=now.at - empty[-1]),))


RULES = (
    Rule(
        "late_events",
        find,
        Scaling.HELPS,
        remedy="wait_for_machines",
        needs=("oldest_wait_seconds",),
        factor=Factor.ARRIVALS,
        still=False,
    ),
)
