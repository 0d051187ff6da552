"""Rows that look queued but cannot start, such as jobs of a cancelled run."""

from bot.core.finding import HIGH, LOW, MEDIUM, Facts, Found, Rule, Scaling
from bot.core.pool.backlog import Factor
from bot.core.pool.baseline import mean
from bot.core.statement import Statement, statement

LIVE_SECONDS = 86_400.0
"""Origin: CI providers cancel jobs that have queued for a day; in effect it takes up to two (docs.github.com)."""
OVERTAKEN = 3.0
"""Origin: judgement; in order, once the longest queue would do, and two more are for order that is not kept."""


def find(facts: Facts) -> Found | None:
    """Rows that the source counts, a wait beyond a day or the queue's last end, or jobs that newer ones overtake."""
    now, wait = facts.now, facts.now.oldest_wait_seconds or 0.0
    samples = [s for s in facts.series if s.at >= now.at - wait and s.queued is not None]
    rate, old = mean(samples, "starts_per_minute"), wait > LIVE_SECONDS
    started = (rate or 0.0) * (samples[-1].at - samples[0].at) / 60 if samples else 0.0
    lengths = [s.queued or 0 for s in samples if not old or (s.oldest_wait_seconds or 0.0) > LIVE_SECONDS]
    dead = min(lengths, default=0)
    if old and (rate or 0 in (s.queued for s in samples)):
        seen = statement("wait_beyond_life", seconds=wait, starts=rate)
        return Found(HIGH, (seen, *_part(dead, now.queued or 0), *_left_out(facts)), part=dead)
    if old and rate is None:
        sure = MEDIUM if wait > 2 * LIVE_SECONDS else LOW
        return Found(sure, (statement("wait_beyond_life", seconds=wait, starts=None),), ("starts_per_minute",))
    if not old and dead and started > OVERTAKEN * max(lengths) + max(lengths) ** 0.5:
        seen = statement("overtaken", started=round(started), queued=max(lengths))
        return Found(MEDIUM, (seen, *_part(dead, now.queued or 0), *_left_out(facts)), part=dead)
    return Found(LOW, tuple(_left_out(facts)), part=0) if now.ghosts else None


def _part(dead: int, queued: int) -> list[Statement]:
    """The rows beside those that wait for another reason."""
    return [statement("part_dead", dead=dead, queued=queued, rest=queued - dead)] if dead < queued else []


def _left_out(facts: Facts) -> list[Statement]:
    return [statement("rows_left_out", rows=facts.now.ghosts)] if facts.now.ghosts else []


RULES = (
    Rule(
        "stale_rows",
        find,
        Scaling.NO,
        remedy="leave_rows_out",
        needs=("oldest_wait_seconds",),
        factor=Factor.UNKNOWN,
        still=False,
        in_vain=True,
    ),
)
