"""Idle runners beside a queue in one pool: the jobs ask for something else, or the idle runners do not exist."""

from bot.core.finding import HIGH, LOW, MEDIUM, Facts, Found, Rule, Scaling
from bot.core.pool.baseline import COUNTED_MINUTES, means
from bot.core.statement import statement

OTHERS_START = 0.5
"""Origin: most; where most jobs that come start beside the queue, the waiting ones are of another kind."""


def find(facts: Facts) -> Found | None:
    """Idle runners in two samples in a row while jobs wait (actions/actions-runner-controller#3953, #4138)."""
    now, samples = facts.now, [s for s in facts.series[-2:] if s.idle and s.queued]
    if not now.idle or len(facts.fleet.idle_beside) > 1:
        return None
    seen = statement("idle_beside_wait", idle=now.idle, queued=now.queued, oldest_wait_seconds=now.oldest_wait_seconds)
    came, started = means(facts.recent(2 * COUNTED_MINUTES), ("arrivals_per_minute", "starts_per_minute"))
    if started and started > OTHERS_START * (came or 0.0):
        return Found(MEDIUM, (seen,), () if now.unservable is not None else ("unservable",))
    return Found(HIGH if len(samples) > 1 else LOW, (seen,))


RULES = (Rule("unassigned", find, Scaling.NO, remedy="compare_labels", needs=("idle",), shows="idle", in_vain=True),)
