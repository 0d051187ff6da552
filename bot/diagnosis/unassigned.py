"""Idle runners beside a queue in one pool: the jobs ask for something else, or the idle runners do not exist."""

from bot.core.finding import Cause, Facts, Finding, Rule, Scaling
from bot.core.words import count, duration


def find(facts: Facts) -> Finding | None:
    """Idle runners in two samples in a row while jobs wait (actions/actions-runner-controller#3953, #4138)."""
    now = facts.now
    looks = [s for s in facts.series[-2:] if s.idle and s.queued]
    if not now.idle or len(looks) < 2 or len(facts.around.idle_beside) > 1:
        return None
    wait = duration(now.oldest_wait_seconds)
    seen = f"{count(now.idle, 'idle runner')} beside {count(now.queued, 'waiting job')}, the oldest for {wait}"
    advice = "Compare the jobs' labels with the runners', and the idle ones with what really runs; more will not help."
    return Finding(Cause.UNASSIGNED, 0.7, (seen,), Scaling.NO, advice)


RULE = Rule(Cause.UNASSIGNED, find, needs=("idle",))
