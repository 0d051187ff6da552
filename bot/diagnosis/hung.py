"""Jobs hang, or run far longer than usual, and hold their runners."""

from bot.core.finding import MEDIUM, Facts, Found, Rule, Scaling
from bot.core.pool.backlog import Factor
from bot.core.pool.baseline import mean
from bot.core.room import has_room
from bot.core.statement import Statement, statement

LATE = 0.25
"""Origin: judgement; some job always runs for hours, a quarter of them does not."""
FEWER = 0.5
"""Origin: judgement; half as many ends as the busy runners usually give, beyond the chance of a count."""
KNOWN = 2.5
"""Origin: of lognormal durations with a mean of 1.7 medians, 92 of 100 have ended after 2.5 means."""
LONGER, ENOUGH = 1.5, 10.0
"""Origin: judgement; by chance the median of ten such jobs is half as long again in one of six hours."""
MINUTES = 30.0
"""Origin: three windows of ten minutes, over which sources average their rates."""


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
    rate, minutes = mean(facts.recent(MINUTES), "completions_per_minute"), MINUTES
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
