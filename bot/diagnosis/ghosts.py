"""Ghost rows: jobs that look queued and cannot start, such as those of a cancelled run (causes.md G1)."""

from bot.core.finding import Cause, Facts, Finding, Rule, Scaling
from bot.core.words import count, duration

LIVE_SECONDS = 86_400.0
"""CI providers cancel what has queued for a day (causes.md section 1)."""


def find(facts: Facts) -> Finding | None:
    """The source counts ghosts itself, or the oldest wait is beyond a day while other jobs start."""
    now = facts.now
    seen = []
    if now.ghosts:
        seen.append(f"{count(now.ghosts, 'row')} only look queued and are left out of the figures")
    old = (now.oldest_wait_seconds or 0) > LIVE_SECONDS
    if old and now.starts_per_minute:
        seen.append(
            f"the oldest wait is {duration(now.oldest_wait_seconds)}, longer than a live job can wait, while "
            f"{now.starts_per_minute:.1f} jobs start a minute"
        )
    if not seen:
        return None
    sure = 0.9 if old and now.starts_per_minute else 0.3
    advice = "Leave these rows out of the metric; cancel their runs. Nothing really waits there."
    return Finding(Cause.GHOSTS, sure, tuple(seen), Scaling.NO, advice)


RULE = Rule(Cause.GHOSTS, find, needs=("oldest_wait_seconds",))
