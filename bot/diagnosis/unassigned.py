"""Idle runners beside a queue in one pool: the jobs ask for something else, or the idle runners do not exist."""

from bot.core.finding import Facts, Found, Rule, Scaling
from bot.core.pool.baseline import means
from bot.core.statement import statement

OTHERS_START = 0.5
"""Share of the jobs that come and start beside the queue, from which the waiting ones are of another kind."""


def find(facts: Facts) -> Found | None:
    """Idle runners in two samples in a row while jobs wait (actions/actions-runner-controller#3953, #4138)."""
    now = facts.now
    looks = [s for s in facts.series[-2:] if s.idle and s.queued]
    if not now.idle or len(looks) < 2 or len(facts.fleet.idle_beside) > 1:
        return None
    wait = now.oldest_wait_seconds
    seen = statement("idle_beside_wait", idle=now.idle, queued=now.queued, oldest_wait_seconds=wait)
    came, started = means(facts.recent(30), ("arrivals_per_minute", "starts_per_minute"))
    if started and started > OTHERS_START * (came or 0.0):
        return Found(0.55, (seen,), () if now.unservable is not None else ("unservable",))
    return Found(0.7, (seen,))


RULE = Rule("unassigned", find, Scaling.NO, remedy="compare_labels", needs=("idle",), shows="idle")
