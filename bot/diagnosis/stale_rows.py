"""Rows that look queued but cannot start, such as jobs of a cancelled run.

See docs/design/diagnosis.md#ghost-rows.
"""

from bot.core.finding import Facts, Found, Rule, Scaling
from bot.core.pool.baseline import mean
from bot.core.statement import Statement, statement

LIVE_SECONDS = 86_400.0
"""CI providers cancel jobs that have queued for a day; in effect it takes up to two."""
OVERTAKEN = 3.0
"""So many times the longest queue must have started since the oldest job came; in order, once would do."""


def find(facts: Facts) -> Found | None:
    """The source counts such rows, newer jobs overtake, or the oldest wait exceeds a day while jobs (may) start.

    So does a wait that is longer than the time since nothing waited.
    """
    now = facts.now
    seen = []
    if now.ghosts:
        seen.append(statement("rows_left_out", rows=now.ghosts))
    old, starts = (now.oldest_wait_seconds or 0) > LIVE_SECONDS, mean(facts.recent(60), "starts_per_minute")
    blind, never = old and starts is None, old and _was_empty(facts)
    if blind or never or (old and starts):
        seen.append(statement("wait_beyond_life", seconds=now.oldest_wait_seconds, starts=starts))
    share, passed = _overtaken(facts)
    seen += passed
    if not seen:
        return None
    certain = (now.oldest_wait_seconds or 0) > 2 * LIVE_SECONDS
    sure = 0.9 if never or (old and starts) else (0.75 if certain else 0.45) if blind else 0.3 + 0.45 * share
    return Found(sure, tuple(seen), ("starts_per_minute",) if blind and not never else ())


def _was_empty(facts: Facts) -> bool:
    """Whether nothing waited at a time at which the oldest job had long come: it is no job that has waited since."""
    since = facts.now.at - (facts.now.oldest_wait_seconds or 0.0)
    return any(s.queued == 0 for s in facts.series if s.at > since)


def _overtaken(facts: Facts) -> tuple[float, list[Statement]]:
    """(share of the queue that never started, evidence): far more jobs started since the oldest came than ever waited.

    At most the shortest queue of that time is stuck; the rest waits for another reason.
    """
    since = facts.now.at - (facts.now.oldest_wait_seconds or 0.0)
    looks = [s for s in facts.series if s.at >= since and s.queued is not None]
    rate = mean(looks, "starts_per_minute")
    if not rate or facts.now.starts_per_minute is None:
        return 0.0, []
    started, lengths = rate * (looks[-1].at - looks[0].at) / 60, [s.queued or 0 for s in looks]
    if started < OVERTAKEN * max(lengths) + 5:
        return 0.0, []
    return min(lengths) / max(1, lengths[-1]), [statement("overtaken", started=round(started), queued=max(lengths))]


RULE = Rule(
    "stale_rows",
    find,
    Scaling.NO,
    remedy="leave_rows_out",
    needs=("oldest_wait_seconds",),
    outranks=("too_few", "limit", "surge", "unassigned"),
)
