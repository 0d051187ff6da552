"""Rows that look queued but cannot start, such as jobs of a cancelled run.

See docs/design/diagnosis.md#ghost-rows.
"""

from bot.core.finding import Facts, Found, Rule, Scaling
from bot.core.statement import statement

LIVE_SECONDS = 86_400.0
"""CI providers cancel jobs that have queued for a day; in effect it takes up to two."""


def find(facts: Facts) -> Found | None:
    """The source counts such rows itself, or the oldest wait exceeds a day while other jobs start, or may start."""
    now = facts.now
    seen = []
    if now.ghosts:
        seen.append(statement("rows_left_out", rows=now.ghosts))
    old = (now.oldest_wait_seconds or 0) > LIVE_SECONDS
    if old and now.starts_per_minute:
        seen.append(statement("wait_beyond_life", seconds=now.oldest_wait_seconds, starts=now.starts_per_minute))
    blind = old and now.starts_per_minute is None
    if blind:
        seen.append(statement("wait_beyond_life", seconds=now.oldest_wait_seconds, starts=None))
    if not seen:
        return None
    certain = (now.oldest_wait_seconds or 0) > 2 * LIVE_SECONDS
    sure = 0.9 if old and now.starts_per_minute else (0.6 if certain else 0.45) if blind else 0.3
    return Found(sure, tuple(seen), ("starts_per_minute",) if blind else ())


RULE = Rule("stale_rows", find, Scaling.NO, remedy="leave_rows_out", needs=("oldest_wait_seconds",))
