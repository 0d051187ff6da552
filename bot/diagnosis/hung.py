"""Jobs hang, or run far longer than usual, and hold their runners (docs/design/diagnosis.md#hung-jobs)."""

from bot.core.finding import Facts, Found, Rule, Scaling
from bot.core.pool.backlog import Factor
from bot.core.statement import statement

LATE = 0.25
"""Share of the running jobs that should have ended by now."""
COLLAPSED = 0.7
"""With fewer busy runners than this share of the usual, the pool has shrunk, and its running jobs are old for that."""


def find(facts: Facts) -> Found | None:
    """More jobs still run than usual durations explain, given when they started; the pool itself has not shrunk."""
    now, usual, late = facts.now, facts.usual, facts.backlog.late
    if not now.busy or now.idle or late is None or late < LATE or not usual.duration:
        return None
    if usual.busy and now.busy < COLLAPSED * usual.busy and (now.limit is None or now.busy < 0.8 * now.limit):
        return None
    seen = [statement("should_have_ended", jobs=round(late * now.busy), running=now.busy, usual=usual.duration)]
    p50, longest = now.duration_p50_seconds, now.running_longest_seconds
    sure = 0.35 + 0.5 * late
    if p50 and usual.p50 and p50 > 1.5 * usual.p50:
        seen.append(statement("jobs_take", seconds=p50, usual=usual.p50))
        sure += 0.1
    if longest and longest > 8 * usual.duration:
        seen.append(statement("longest_job", seconds=longest, usual=usual.duration))
        sure += 0.05
    sure += 0.1 * facts.share(Factor.DURATION) - 0.1 * facts.share(Factor.ARRIVALS)
    return Found(min(sure, 0.95), tuple(seen), () if longest is not None else ("running_longest_seconds",))


RULE = Rule(
    "hung",
    find,
    Scaling.NO,
    remedy="cancel_hanging_jobs",
    needs=("busy",),
    one_of=("completions_per_minute", "starts_per_minute"),
    rivals=("completions_per_minute", "starts_per_minute"),
)
