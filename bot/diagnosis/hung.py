"""Jobs hang, or run far longer than usual, and hold their runners (docs/design/diagnosis.md#hung-jobs)."""

import math

from bot.core.finding import NEVER, Facts, Found, Rule, Scaling
from bot.core.pool.backlog import Factor
from bot.core.pool.baseline import mean
from bot.core.statement import Statement, statement

KNOWN = 2.5
"""Samples must reach back so many durations to tell which jobs should have ended."""
SURE_Z, LONGER_Z = 2.5, 1.0
"""Standard deviations by which too few jobs end; fewer do where the median duration has risen as well."""
ENOUGH = 10.0
"""Jobs that must have ended within the hour for their median duration to mean something."""
FULL = 0.75
"""Share of the limit from which the pool may be full: where nobody counts booting machines, a part is not seen."""
LATE = 0.25
"""Share of the running jobs that should have ended by now."""


def find(facts: Facts) -> Found | None:
    """More jobs still run than usual durations explain, given when they started.

    In a pool that has shrunk the running jobs are old, because none were started.
    """
    now, usual, late = facts.now, facts.usual, facts.backlog.late
    if not now.busy or now.idle or not usual.duration or facts.shrunk:
        return None
    runners = (now.online or now.busy) + (now.booting or 0) + (now.offline or 0)
    if now.limit is not None and runners < FULL * now.limit:
        return None  # jobs that hang make others wait only where no runner can be added
    p50, longest = now.duration_p50_seconds, now.running_longest_seconds
    longer = takes_longer(facts)
    seen: list[Statement] = []
    known = late is not None and facts.now.at - facts.series[0].at > KNOWN * usual.duration
    if known and late is not None and late >= LATE:
        seen.append(statement("should_have_ended", jobs=round(late * now.busy), running=now.busy, usual=usual.duration))
        sure = 0.35 + 0.5 * late + 0.1 * facts.share(Factor.DURATION) - 0.1 * facts.share(Factor.ARRIVALS)
    elif (not known or longer) and (
        ends := _too_few_ends(facts, usual.duration * (1 + usual.doubt), SURE_Z if not longer else LONGER_Z)
    ):
        seen.append(ends)
        sure = 0.65
    else:
        return None
    if longer:
        seen.append(statement("jobs_take", seconds=p50, usual=usual.p50))
        sure += 0.1
    if longest and longest > 8 * usual.duration:
        seen.append(statement("longest_job", seconds=longest, usual=usual.duration))
        sure += 0.05
    return Found(min(sure, 0.95), tuple(seen), () if longest is not None else ("running_longest_seconds",))


def takes_longer(facts: Facts) -> bool:
    """Whether the median of many jobs is far above the usual one; many may have ended where nobody counts them."""
    p50, usual, rate = facts.now.duration_p50_seconds, facts.usual.p50, mean(facts.recent(60), "completions_per_minute")
    return bool(p50 and usual and p50 > 1.5 * usual) and (rate is None or 60 * rate >= ENOUGH)


def _too_few_ends(facts: Facts, duration: float, z: float) -> Statement | None:
    """Before the samples reach back far enough: far fewer jobs end than the busy runners usually end (Poisson).

    Just after a shortage the pool is full of young jobs, so runners count for as long as they were busy.
    """
    now, window = facts.now, facts.recent(30)
    rate = mean(window, "completions_per_minute")
    if rate is None or not now.limit or (now.busy or 0) < 0.9 * now.limit:
        return None
    minutes = 10 + (window[-1].at - window[0].at) / 60
    due = minutes * 60 * (mean(facts.recent(minutes), "busy") or 0.0) / duration
    ended = rate * minutes
    if ended > 0.6 * due or due - ended < z * math.sqrt(due + 1):
        return None
    return statement("jobs_ended", jobs=round(ended), minutes=round(minutes), expected=due)


RULE = Rule(
    "hung",
    find,
    Scaling.NO,
    remedy="cancel_hanging_jobs",
    outranks=("surge", "limit"),
    needs=("busy",),
    one_of=("completions_per_minute", "starts_per_minute"),
    rivals=("completions_per_minute", "starts_per_minute"),
    in_vain=NEVER,
)
