"""Machines do not come, or as fast as ever but too slowly: more runners are allowed and needed, and none is idle."""

from collections.abc import Sequence
from itertools import pairwise

from bot.core.finding import AS_MANY, LOW, MEDIUM, Facts, Found, Rule, Scaling
from bot.core.forecast.supply import OWN_MACHINES
from bot.core.machines.beside import idle_places, looks_at_cpu
from bot.core.machines.room import has_room, limit_of, never_came, room_of, window
from bot.core.pool.baseline import COUNTED_MINUTES, mean
from bot.core.statement import Statement, statement

TELLING = ("creates", "create_failures", "booting")
"""The figures that would tell why."""


def find(facts: Facts) -> Found | None:
    """Room below the limit and no idle runner, in every sample of two boot times, while jobs wait."""
    return None if _as_ever(facts) else _seen(facts)


def slow(facts: Facts) -> Found | None:
    """The same, where each job has its own machine and as many come as ever: their number was enough until now."""
    return _seen(facts) if _as_ever(facts) else None


def _as_ever(facts: Facts) -> bool:
    usual, now = facts.usual, facts.now
    came = now.creates if now.registered is None else now.registered
    launched = usual.launched(facts.rules.boot_time_seconds / 60) or 0.0
    if came is None or not usual.arrivals or launched <= OWN_MACHINES:
        return False
    return came >= AS_MANY * COUNTED_MINUTES * usual.arrivals * launched


def _seen(facts: Facts) -> Found | None:
    now, samples = facts.now, window(facts)
    if not limit_of(facts, now) or now.idle or now.busy is None or not has_room(facts, now):
        return None
    if 2 * sum(not has_room(facts, s) for s in samples) >= max(1, len(samples)):
        return None  # it has been full for most of the time
    beside, counts = (*idle_places(facts), *looks_at_cpu(facts)), _created(facts)
    sure = never_came(facts) and now.limit is not None and now.idle is not None
    missing = tuple(name for name in TELLING if getattr(now, name) is None)
    return Found(MEDIUM if sure else LOW, (_came(facts), *counts, *beside), missing, remedy=_remedy(facts, counts))


def _remedy(facts: Facts, counts: Sequence[Statement]) -> str:
    """What to look at first; the rule's own remedy where nothing tells."""
    if looks_at_cpu(facts):
        return "scale_on_queue"
    if counts and not facts.now.creates:
        return "resend_requests"
    return "" if facts.now.busy else "check_autoscaler"


def _came(facts: Facts) -> Statement:
    """How many runners there are of how many, came and left; "none came" only where their number did not grow."""
    now, sizes = facts.now, [(s.at, s.busy + (s.idle or 0)) for s in facts.series if s.busy is not None]
    grew = [at for (_, before), (at, size) in pairwise(sizes) if size > before]
    since, begun = grew[-1] if grew else sizes[0][0], (window(facts) or (now,))[0].at
    lately = [size for at, size in sizes if at >= begun]
    figures = {
        "runners": lately[-1],
        "limit": limit_of(facts, now),
        "queued": now.queued,
        "known": now.limit is not None,
        "idle": now.idle is not None,
    }
    if since > begun or now.registered:
        came, left, seconds = lately[-1] - min(lately), 0, now.at - begun
        if (now.registered or 0) >= came:
            came, seconds = now.registered or 0, 60 * COUNTED_MINUTES
            before = next(size for at, size in sizes if at >= now.at - seconds)
            left = max(0, before + came - lately[-1])
        room = round(room_of(facts, now))
        return statement("few_came", came=came, left=left, seconds=seconds, room=room, **figures)
    waits = max(since, facts.usual.since)  # before that nobody needed one
    return statement("none_came", seconds=now.at - waits, **figures)


def _created(facts: Facts) -> list[Statement]:
    """Machines that were created for the jobs that came, where both are counted."""
    created, arrived = facts.now.creates, mean(facts.recent(COUNTED_MINUTES), "arrivals_per_minute")
    if created is None or arrived is None:
        return []
    return [statement("created_of", created=created, arrivals=round(COUNTED_MINUTES * arrived))]


RULES = (
    Rule("slow_scaling", slow, Scaling.HELPS, remedy="launch_faster", needs=("busy",), one_of=("registered", "creates"),
         still=False),
    Rule("too_few", find, Scaling.HELPS, remedy="check_scaling_settings", needs=("busy",)),
)  # fmt: skip
