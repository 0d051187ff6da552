"""Rows that look queued but cannot start, such as jobs of a cancelled run.

See docs/design/diagnosis.md#ghost-rows.
"""

from bot.core.finding import Cause, Facts, Finding, Rule, Scaling
from bot.core.words import count, duration

LIVE_SECONDS = 86_400.0
"""CI providers cancel jobs that have queued for a day; in effect it takes up to two."""


def find(facts: Facts) -> Finding | None:
    """The source counts such rows itself, or the oldest wait exceeds a day while other jobs start, or may start."""
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
    blind = old and now.starts_per_minute is None
    if blind:
        seen.append(
            f"the oldest wait is {duration(now.oldest_wait_seconds)}: CI providers cancel "
            "what has queued for a day or two; whether other jobs start is unknown"
        )
    if not seen:
        return None
    certain = (now.oldest_wait_seconds or 0) > 2 * LIVE_SECONDS
    sure = 0.9 if old and now.starts_per_minute else (0.6 if certain else 0.45) if blind else 0.3
    missing = ("starts_per_minute",) if blind else ()
    advice = "Leave these rows out of the metric; cancel their runs. Nothing really waits there."
    return Finding(Cause.GHOSTS, sure, tuple(seen), Scaling.NO, advice, missing=missing)


RULE = Rule(Cause.GHOSTS, find, needs=("oldest_wait_seconds",))
