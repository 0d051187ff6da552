"""Jobs hang and hold their runners: they do not end, while those that end take as long as ever."""

import math

from bot.core.finding import MEDIUM, Facts, Found, Rule, Scaling
from bot.core.kinds.paces import KindPace, explains
from bot.core.machines.room import has_room, rate_minutes
from bot.core.pool.backlog import Factor
from bot.core.pool.baseline import mean
from bot.core.statement import Statement, statement

LATE = 0.25
"""Origin: judgement; some job always runs for hours, a quarter of them does not."""
FEWER = 0.5
"""Origin: judgement; half as many ends as the busy runners usually give, beyond the chance of a count."""
KNOWN = 2.5
"""Origin: of lognormal durations with a mean of 1.7 medians, 92 of 100 have ended after 2.5 means."""
LONGER, ENOUGH = 1.5, 10.0
"""Origin: judgement; by chance the median of ten such jobs is half as long again in one of six hours."""
WINDOWS, FULL = 3.0, 1.5
"""Times the window of the source's rates. Origin: three in a row, and the shortest time that holds a whole one."""


def find(facts: Facts) -> Found | None:
    """More jobs still run than usual durations explain, in a pool without room, and those that end are as ever."""
    seen = held_back(facts)
    if not seen or ends_as_usual(facts) or keeps_ending(facts):
        return None
    return Found(MEDIUM, seen, () if facts.now.running_longest_seconds is not None else ("running_longest_seconds",))


def held_back(facts: Facts) -> tuple[Statement, ...]:
    """The evidence that running jobs hold a full pool longer than they usually do; empty if they do not."""
    now, usual, late = facts.now, facts.usual, facts.backlog.late
    if not now.busy or now.idle or not usual.duration or facts.shrunk or (now.limit and has_room(facts, now)):
        return ()
    known = facts.now.at - facts.series[0].at > KNOWN * usual.duration
    if known and late is not None and late >= LATE:
        return (statement("should_have_ended", jobs=round(late * now.busy), running=now.busy, usual=usual.duration),)
    if not known or takes_longer(facts):
        few = _few_end(facts, usual.duration * (1 + usual.doubt))
        return (few,) if few else ()
    return ()


def takes_longer(facts: Facts) -> bool:
    """Whether the median of many jobs is far above the usual one; many may have ended where nobody counts them."""
    p50, usual, rate = facts.now.duration_p50_seconds, facts.usual.p50, mean(facts.recent(60), "completions_per_minute")
    return bool(p50 and usual and p50 > LONGER * usual) and (rate is None or 60 * rate >= ENOUGH)


def keeps_ending(facts: Facts) -> bool:
    """Whether jobs take longer, end about as often as jobs of that length do, and that explains those that are late.

    The median alone says less: where nothing new ends, the last ones to end are the long ones. Where all jobs take n
    times as long, 1 - 1/n of the running ones are late; where jobs hang, far more are.
    """
    if slower_kinds(facts):
        return True
    p50, usual, late = facts.now.duration_p50_seconds, facts.usual.p50, facts.backlog.late
    if not p50 or not usual or not takes_longer(facts):
        return False
    ended, due = ends(facts, WINDOWS * rate_minutes(facts))
    on_time = usual / p50 if late is None else 1 - late
    return on_time * p50 / usual >= FEWER and (ended is None or ended >= FEWER * due * on_time)


def slower_kinds(facts: Facts) -> tuple[KindPace, ...]:
    """The kinds of jobs that take clearly longer than they usually do, if that holds a quarter of the runners."""
    found = sorted((one for one in facts.now.kinds if one.slower), key=lambda one: (-explains(one), one.job))
    held = sum(explains(one) for one in found)
    return tuple(found) if held >= LATE * sum(one.running for one in facts.now.kinds) > 0 else ()


def ends_as_usual(facts: Facts) -> bool:
    """Whether about as many jobs ended lately as so many busy runners usually end: then none hangs (Poisson)."""
    ended, due = ends(facts, FULL * rate_minutes(facts))
    return ended is not None and ended >= due - math.sqrt(due)


def ends(facts: Facts, minutes: float) -> tuple[float | None, float]:
    """(jobs that ended in the last minutes, None if nobody counts them; jobs that so many runners usually end then)."""
    window, lasts = facts.recent(minutes), facts.usual.duration
    rate, busy = mean(window, "completions_per_minute"), mean(window, "busy")
    if rate is None or not busy or not lasts:
        return None, 0.0
    return rate * minutes, 60 * minutes * busy / lasts


def _few_end(facts: Facts, duration: float) -> Statement | None:
    """Before the samples reach back far enough: far fewer jobs end than the busy runners usually end (Poisson)."""
    minutes = WINDOWS * rate_minutes(facts)
    rate = mean(facts.recent(minutes), "completions_per_minute")
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
