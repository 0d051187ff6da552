"""Jobs hang, or run far longer than usual, and hold their runners."""

from bot.core.finding import MEDIUM, Facts, Found, Rule, Scaling
from bot.core.pool.backlog import Factor
from bot.core.pool.baseline import mean
from bot.core.room import has_room
from bot.core.statement import Statement, statement

LATE = 0.25
"""Origin: a quarter of the running jobs; some job always runs for hours."""
FEWER = 0.5
"""Origin: half as many ends as the busy runners usually give, beyond the chance of a count."""
KNOWN = 2.5
"""Origin: looks must reach back so many durations to know which jobs should have ended."""
LONGER, ENOUGH = 1.5, 10.0
"""Origin: half as long again is more than chance for a median of ten jobs."""


def find(facts: Facts) -> Found | None:
    """More jobs still run than usual durations explain, given when they started, in a pool without room."""
    now, usual, late = facts.now, facts.usual, facts.backlog.late
    if not now.busy or now.idle or not usual.duration or facts.shrunk or (now.limit and has_room(facts, now)):
        return None
    known, longer = facts.now.at - facts.series[0].at > KNOWN * usual.duration, takes_longer(facts)
    if known and late is not None and late >= LATE:
        told = {"jobs": round(late * now.busy), "running": now.busy, "usual": usual.duration}
        seen = [statement("should_have_ended", **told)]
    elif (not known or longer) and (few := _few_end(facts, usual.duration * (1 + usual.doubt))):
        seen = [few]
    else:
        return None
    if longer:
        seen.append(statement("jobs_take", seconds=now.duration_p50_seconds, usual=usual.p50))
    return Found(MEDIUM, tuple(seen), () if now.running_longest_seconds is not None else ("running_longest_seconds",))


def takes_longer(facts: Facts) -> bool:
    """Whether the median of many jobs is far above the usual one; many may have ended where nobody counts them."""
    p50, usual, rate = facts.now.duration_p50_seconds, facts.usual.p50, mean(facts.recent(60), "completions_per_minute")
    return bool(p50 and usual and p50 > LONGER * usual) and (rate is None or 60 * rate >= ENOUGH)


def _few_end(facts: Facts, duration: float) -> Statement | None:
    """Before the looks reach back far enough: far fewer jobs end than the busy runners usually end (Poisson)."""
    rate, minutes = mean(facts.recent(30), "completions_per_minute"), 30.0
    if rate is None:
        return None
    due = minutes * 60 * (mean(facts.recent(minutes), "busy") or 0.0) / duration
    if rate * minutes > FEWER * due or due - rate * minutes < 2 * due**0.5:
        return None
    return statement("jobs_ended", jobs=round(rate * minutes), minutes=round(minutes), expected=due)


RULES = (
    Rule(
        "hung",
        find,
        Scaling.NO,
        remedy="cancel_hanging_jobs",
        needs=("busy",),
        one_of=("completions_per_minute", "starts_per_minute"),
        factor=Factor.DURATION,
        still=False,
    ),
)
