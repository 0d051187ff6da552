"""No runner carries the label: it is misspelt or was removed."""

from bot.core.finding import HIGH, LOW, MEDIUM, Facts, Found, Rule, Scaling
from bot.core.statement import statement

MOST = 0.5
"""Origin: most, so it is why the pool queues."""
ENOUGH = 5
"""Origin: judgement; a few jobs may wait for a thing of their own."""


def find(facts: Facts) -> Found | None:
    """The alert or most jobs name an unknown label; or the pool has no runner, and none is created for it."""
    now, none = facts.now, facts.now.unservable or 0
    if facts.pool in facts.fleet.unknown_labels:
        return Found(MEDIUM, (statement("pool_not_configured", pool=facts.pool),))
    if facts.waits and none and none >= MOST * (now.queued or 0):
        return Found(HIGH, (statement("unservable", jobs=none, queued=now.queued),), part=none)
    if facts.waits and sum(one.jobs for one in now.overtaken) >= ENOUGH:
        return _overtaken(facts)
    nobody = now.online == 0 or (now.online is None and now.unlabelled)
    coming = now.booting or now.offline or now.limit == 0 or now.creates != 0 or now.create_failures
    if not facts.waits or not nobody or coming:
        return None
    if any(s.busy or s.idle or s.booting or s.creates for s in facts.series):
        return None  # labels are taken away more seldom than machines stay away (machines/too_few.py)
    seen = statement("no_runner_ever", refused=now.create_failures, queued=now.queued)
    known = now.create_failures is not None
    return Found(MEDIUM if known else LOW, (seen,), () if known else ("create_failures",))


def _overtaken(facts: Facts) -> Found:
    """Jobs of one kind never start while newer ones do: their place in the queue is not why they wait."""
    stuck = facts.now.overtaken
    jobs, least = sum(one.jobs for one in stuck), min(one.shortest_seconds for one in stuck)
    seen = statement("overtaken_jobs", jobs=jobs, kind=stuck[0].kind, labels=stuck[0].label, seconds=least)
    return Found(HIGH, (seen,), part=jobs)


RULES = (Rule("unknown_label", find, Scaling.NO, remedy="correct_label", always=True, in_vain=True),)
