"""The second voice: where nobody counts jobs, the model infers whether more came or whether they take longer.

Jobs that hang and jobs that take longer hold runners alike, so both are named then; figures of ends would tell.
"""

from functools import partial

from bot.core.finding import MEDIUM, Facts, Found, Rule, Scaling
from bot.core.machines.room import BOOTS, has_room
from bot.core.pool.backlog import Factor
from bot.core.statement import statement

COUNTED = ("arrivals_per_minute", "starts_per_minute", "completions_per_minute")
"""With one of them the rules on load and pace speak for themselves."""


def find(facts: Facts, factor: Factor) -> Found | None:
    """In a full pool, with somebody who waits longer than two boots, one change explains what was measured."""
    now, patience = facts.now, BOOTS * facts.rules.boot_time_seconds
    if now.idle or not now.busy or any(getattr(now, name) is not None for name in COUNTED):
        return None
    if (now.oldest_wait_seconds or 0.0) <= patience or (now.limit is not None and has_room(facts, now)):
        return None
    from bot.core.inferring.particles import inferred

    changed = inferred(facts.series, facts.usual, facts.pool)
    if changed is None or changed.factor is not factor:
        return None
    seen = statement(f"inferred_{factor}", times=changed.times, seconds=60 * changed.minutes)
    return Found(MEDIUM, (seen,), COUNTED)


RULES = tuple(
    Rule(
        cause,
        partial(find, factor=factor),
        scaling,
        remedy=remedy,
        needs=("oldest_wait_seconds", "busy", "idle"),
        factor=factor,
        still=False,
    )
    for cause, factor, scaling, remedy in (
        ("surge", Factor.ARRIVALS, Scaling.HELPS, "add_runners"),
        ("hung", Factor.DURATION, Scaling.NO, "cancel_hanging_jobs"),
        ("slower", Factor.DURATION, Scaling.HELPS, "find_slow_jobs"),
    )
)
