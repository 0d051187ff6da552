"""Jobs hang, or run far longer than usual, and hold their runners (docs/design/diagnosis.md#hung-jobs)."""

import math

from bot.core.finding import Facts, Found, Rule, Scaling
from bot.core.statement import Statement, statement

LONGER = 1.4
HANGS = 4.5
"""The longest job runs this many times the usual median."""
ONE_JOB = 0.4
"""Some job is always the longest, and many pools have one that takes hours; a single one holds one runner."""


def find(facts: Facts) -> Found | None:
    """Durations rose while arrivals did not, or jobs run that should have ended long ago."""
    now = facts.now
    usual = facts.usual("duration_p50_seconds", now.usual_duration_seconds)
    if not usual or not now.busy:
        return None
    p50, longest = now.duration_p50_seconds, now.running_longest_seconds
    seen, sure = [], 0.0
    if p50 and p50 > LONGER * usual:
        seen.append(statement("jobs_take", seconds=p50, usual=usual))
        sure = min(0.9, 0.6 + 0.15 * (p50 / usual - LONGER))
    if longest and longest > HANGS * usual:
        seen.append(statement("longest_job", seconds=longest, usual=usual))
        sure = sure + 0.05 if sure else ONE_JOB
    if slower := _slower(facts, usual):
        seen.append(slower[0])
        sure = max(sure + 0.1, slower[1] + (0.05 if sure else 0.0))
    if not sure:
        return None
    was = facts.usual("arrivals_per_minute", now.usual_arrivals_per_minute)
    if was and now.arrivals_per_minute is not None:
        calm = now.arrivals_per_minute <= 1.4 * was
        seen.append(statement("arrivals", per_minute=now.arrivals_per_minute, usual=was))
        sure += 0.05 if calm else -0.05
    return Found(min(sure, 0.95), tuple(seen), () if longest is not None else ("running_longest_seconds",))


def _slower(facts: Facts, usual: float) -> tuple[Statement, float] | None:
    """Fewer jobs ended than expected from the runners that were busy a usual duration earlier (Poisson)."""
    ended = due = 0.0
    for ago in (0, 10, 20):
        near = [s for s in facts.recent(ago + 2) if s.completions_per_minute is not None]
        then = next((s for s in reversed(facts.before(ago + usual / 60)) if s.busy is not None), None)
        if not near or then is None or facts.now.at - near[0].at < 60 * (ago - 3):
            return None
        ended += 10 * (near[0].completions_per_minute or 0.0)
        due += 10 * 60 * (then.busy or 0) / (1.2 * usual)
    chance = _at_most(round(ended), due) if due else 1.0
    if ended > 0.6 * due or chance > 0.03:
        return None
    return statement("jobs_ended", jobs=round(ended), expected=due), 0.75 if chance < 0.003 else 0.62


def _at_most(number: int, mean: float) -> float:
    """The probability that a Poisson count with this mean is at most `number`."""
    return sum(math.exp(-mean + k * math.log(mean) - math.lgamma(k + 1)) for k in range(number + 1))


RULE = Rule(
    "hung",
    find,
    Scaling.NO,
    remedy="cancel_hanging_jobs",
    needs=("busy",),
    one_of=("duration_p50_seconds", "running_longest_seconds"),
    outranks=("surge", "limit"),
)
