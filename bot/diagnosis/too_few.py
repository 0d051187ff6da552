"""The autoscaler adds too few runners: there is room, all are busy, and the queue does not shrink."""

from bot.core.finding import Facts, Found, Rule, Scaling
from bot.core.pool.backlog import Factor
from bot.core.statement import statement

MINUTES = 15.0
EACH_ITS_OWN = 0.6
"""Launches per job from which a machine is created for each job."""


def find(facts: Facts) -> Found | None:
    """Room below the limit for a quarter of an hour, no idle runner, a queue that outweighs what is requested.

    Where each job gets its own machine, the jobs without one are not heard of.
    """
    return None if (facts.usual.launches or 0.0) >= EACH_ITS_OWN else few_requested(facts)


def few_requested(facts: Facts) -> Found | None:
    """The same for any pool."""
    now = facts.now
    looks = [s for s in facts.recent(MINUTES) if s.online is not None and s.booting is not None and s.limit]
    if now.idle or now.create_failures or not now.queued or len(looks) < 3:
        return None
    rooms = [(s.limit or 0) - (s.online or 0) - (s.booting or 0) - (s.offline or 0) - (s.failed or 0) for s in looks]
    if facts.share(Factor.ARRIVALS) > 0.3:
        return None  # it adds as ever, and more jobs came than it was made for
    if min(rooms) < max(2, 0.1 * (now.limit or 0)) or any(s.idle or not s.queued for s in looks):
        return None
    wanted = min(*rooms, *(s.queued or 0 for s in looks))
    booting = sum(s.booting or 0 for s in looks) / len(looks)
    if wanted < 2 or booting > 0.4 * wanted or (now.queued or 0) < 0.8 * (looks[0].queued or 0):
        return None
    seen = statement("few_requested", booting=now.booting, queued=now.queued, room=rooms[-1])
    return (
        None
        if not booting and not now.creates
        else Found(0.7, (seen,), () if now.creates is not None else ("creates",))
    )


RULE = Rule(
    "too_few",
    find,
    Scaling.HELPS,
    remedy="check_scaling_settings",
    needs=("idle", "booting", "limit", "busy", "create_failures"),
    outranks=("surge",),
    rivals=("creates",),
)
