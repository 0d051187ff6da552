"""Jobs take longer than usual and end: code, a service or the machines became slow."""

from collections.abc import Sequence

from bot.core.finding import LOW, MEDIUM, Facts, Found, Rule, Scaling
from bot.core.kinds.paces import KindPace
from bot.core.pool.backlog import Factor
from bot.core.statement import Statement, statement
from bot.diagnosis.work.hung import ends, held_back, keeps_ending, slower_kinds

HOUR = 60.0
"""Origin: the window over which sources tell the median of ended jobs."""
MISSING = ("duration_p50_seconds",)
MOST_NAMED, FEW = 3, 2
"""Kinds that are named; more than so few that became slow together are no matter of one job. Origin: judgement; a
fourth is never read."""
MOST, TOGETHER_SECONDS = 0.8, 7200.0
"""So many of the known kinds, within so long: nearly all, at once. Origin: judgement; a kind's hours tell its
beginning to an hour, and its lower quartile crosses a limit an hour later where its jobs are long."""


def find(facts: Facts) -> Found | None:
    """Running jobs hold a full pool longer than usual, and those that end take longer as well.

    Where nobody tells how long ended jobs took, jobs that still end may as well be slower as some of them hang.
    """
    kinds, seen = slower_kinds(facts), held_back(facts)
    if kinds and facts.now.busy and not facts.now.idle:
        remedy = "find_slow_machines" if everywhere(facts) else ""
        return Found(MEDIUM, (*_named(facts, kinds), *seen), remedy=remedy)
    if not seen:
        return None
    if keeps_ending(facts):
        take = statement("jobs_take", seconds=facts.now.duration_p50_seconds, usual=facts.usual.p50)
        return Found(MEDIUM, (*seen, take))
    medians_known = facts.now.duration_p50_seconds is not None and facts.usual.p50 is not None
    ended, due = ends(facts, HOUR)
    if medians_known or not ended or not due:
        return None
    return Found(MEDIUM, (*seen, statement("still_end", jobs=round(ended), minutes=round(HOUR))), MISSING)


def everywhere(facts: Facts) -> Found | None:
    """Kinds that have nothing to do with each other became slow together: their machines, or a service, became slow.

    A signal that is bad says which; where all are well, it is something that none of them watches.
    """
    now, kinds = facts.now, slower_kinds(facts)
    known = [one for one in now.kinds if one.usual_seconds]
    since = [one.since for one in kinds if one.since is not None]
    together = not since or max(since) - min(since) <= TOGETHER_SECONDS
    if not now.busy or now.idle or len(kinds) <= FEW or len(kinds) < MOST * len(known) or not together:
        return None
    signals = [one for one in now.signals if one.value is not None]
    if any(one.bad(one.value) for one in signals if one.value is not None):
        return None
    seen = statement("all_kinds_slower", kinds=len(kinds), of=len(known), since=min(since, default=None))
    well = (statement("signals_well", signals=len(signals)),) if signals else ()
    return Found(LOW, (seen, *well), () if signals else ("signals",))


def _named(facts: Facts, kinds: Sequence[KindPace]) -> list[Statement]:
    """The kinds that hold most runners beyond their usual."""
    now, several = facts.now, len({one.repository for one in facts.now.kinds}) > 1
    return [
        statement(
            "kind_takes",
            job=one.job,
            repository=one.repository if several else "",
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
    Rule(
        "all_slower",
        everywhere,
        Scaling.UNKNOWN,
        remedy="find_slow_machines",
        needs=("busy",),
        one_of=("kinds",),
        factor=Factor.DURATION,
        still=False,
    ),
)
