"""Jobs take longer than usual and end: code, a service or the machines became slow."""

from collections.abc import Sequence

from bot.core.finding import MEDIUM, Facts, Found, Rule, Scaling
from bot.core.kinds.paces import KindPace
from bot.core.pool.backlog import Factor
from bot.core.statement import Statement, statement
from bot.diagnosis.work.hung import ends, held_back, keeps_ending, slower_kinds

HOUR = 60.0
"""Origin: the window over which sources tell the median of ended jobs."""
MISSING = ("duration_p50_seconds",)
MOST_NAMED, FEW = 3, 2
"""Kinds that are named. All kinds that are known, if more than so few, are no matter of one job. Origin: judgement; a
fourth is never read."""


def find(facts: Facts) -> Found | None:
    """Running jobs hold a full pool longer than usual, and those that end take longer as well.

    Where nobody tells how long ended jobs took, jobs that still end may as well be slower as some of them hang.
    """
    kinds, seen = slower_kinds(facts), held_back(facts)
    if kinds and facts.now.busy and not facts.now.idle:
        known = [one for one in facts.now.kinds if one.usual_seconds]
        every = (statement("all_kinds_slower", kinds=len(known)),) if FEW < len(known) == len(kinds) else ()
        return Found(MEDIUM, (*_named(facts, kinds), *every, *seen), remedy="find_slow_machines" if every else "")
    if not seen:
        return None
    if keeps_ending(facts):
        take = statement("jobs_take", seconds=facts.now.duration_p50_seconds, usual=facts.usual.p50)
        return Found(MEDIUM, (*seen, take))
    told = facts.now.duration_p50_seconds is not None and facts.usual.p50 is not None
    ended, due = ends(facts, HOUR)
    if told or not ended or not due:
        return None
    return Found(MEDIUM, (*seen, statement("still_end", jobs=round(ended), minutes=round(HOUR))), MISSING)


def _named(facts: Facts, kinds: Sequence[KindPace]) -> list[Statement]:
    """The kinds that hold most runners beyond their usual."""
    now = facts.now
    return [
        statement(
            "kind_takes",
            job=one.job,
            seconds=one.seconds,
            usual=one.usual_seconds,
            since=one.since,
            lasts=None if one.since is None else now.at - one.since,
            jobs=one.running,
            running=now.busy,
        )
        for one in kinds[:MOST_NAMED]
    ]


RULES = (
    Rule(
        "slower",
        find,
        Scaling.HELPS,
        remedy="find_slow_jobs",
        needs=("busy",),
        one_of=("completions_per_minute", "starts_per_minute", "kinds"),
        factor=Factor.DURATION,
        still=False,
    ),
)
