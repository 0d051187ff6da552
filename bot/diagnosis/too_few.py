"""The autoscaler adds too few runners: there is room, all are busy, and the queue does not shrink."""

from bot.core.finding import MAY_NOT_COME, Facts, Found, Rule, Scaling
from bot.core.pool.backlog import Factor
from bot.core.pool.pool import Snapshot
from bot.core.statement import statement

MINUTES = 15.0
EACH_ITS_OWN = 0.75
"""Launches per job from which a machine is created for each job; a runner that takes many may need as many as 0.6."""
REPLACED = 0.6
"""Machines created per job that ended, from which they are."""
ENOUGH, HARDLY = 0.4, 0.1
"""Booting machines per waiting job with room below the limit: enough are added, or hardly any if the queue shrinks."""
SAME_SIZE = 0.05
"""A pool that changes its size by no more, while its machines come and go, is as large as it is allowed to be."""


def find(facts: Facts) -> Found | None:
    """Room below the limit for a quarter of an hour, no idle runner, a queue that outweighs what is requested.

    Where each job gets its own machine, the jobs without one are not heard of, unless the pool keeps its size.
    """
    own = (facts.usual.launches or 0.0) >= EACH_ITS_OWN
    return None if own and not keeps_size(facts) else few_requested(facts)


def keeps_size(facts: Facts) -> bool:
    """Whether ended machines are replaced one by one, so that the pool keeps a size below its known limit."""
    looks, ended = facts.recent(2 * MINUTES), 15 * (facts.now.completions_per_minute or 0.0)
    sizes = [taken(s) for s in looks if s.online is not None]
    near = max(1.0, SAME_SIZE * max(sizes, default=0))
    replaced = len(sizes) > 3 and (facts.now.creates or 0) >= max(3.0, REPLACED * ended)
    return replaced and min(sizes) > 1 and max(sizes) - min(sizes) <= near


def taken(sample: Snapshot) -> int:
    """All that counts toward the limit."""
    runners = sum(n or 0 for n in (sample.online, sample.offline, sample.failed))
    return (sample.booting or 0) + max(sample.machines or 0, runners)


def few_requested(facts: Facts) -> Found | None:
    """The same for any pool."""
    now = facts.now
    looks = [s for s in facts.recent(MINUTES) if s.online is not None and s.booting is not None and s.limit]
    if now.idle or now.create_failures or not now.queued or len(looks) < 3:
        return None
    rooms = [(s.limit or 0) - taken(s) for s in looks]
    if facts.share(Factor.ARRIVALS) > 0.3:
        return None  # it adds as ever, and more jobs came than it was made for
    if min(rooms) < max(2, 0.1 * (now.limit or 0)) or any(s.idle or not s.queued for s in looks):
        return None
    wanted = min(*rooms, *(s.queued or 0 for s in looks))
    booting = sum(s.booting or 0 for s in looks) / len(looks)
    shrinks = (now.queued or 0) < 0.8 * (looks[0].queued or 0)
    if wanted < 2 or booting > (HARDLY if shrinks else ENOUGH) * wanted:
        return None
    missing = tuple(name for name in ("creates", "create_failures") if getattr(now, name) is None)
    adds = bool(booting or now.creates)
    if len(missing) == 2 or not (adds or facts.usual.launches is not None):
        return None
    seen = statement("few_requested", booting=now.booting, queued=now.queued, room=rooms[-1])
    return Found(0.7 if adds and now.create_failures is not None else 0.5, (seen,), missing)


RULE = Rule(
    "too_few",
    find,
    Scaling.HELPS,
    remedy="check_scaling_settings",
    needs=("idle", "booting", "limit", "busy"),
    outranks=("surge",),
    rivals=("creates", "create_failures"),
    in_vain=MAY_NOT_COME,
)
