"""No runner carries the label: it is misspelt or was removed (docs/design/diagnosis.md#unknown-labels)."""

from bot.core.finding import NOT_FOR_THESE, Facts, Found, Rule, Scaling
from bot.core.pool.baseline import BEFORE_SECONDS
from bot.core.statement import statement
from bot.diagnosis.lost_events import LEFT_SECONDS, MANY, none_requested

LEAST_SHARE = 0.5
"""Share of the queue that no runner may take, from which it is why the pool queues."""
LEFT = 0.6
"""A pool whose runners take one job after another has at least this share of them left while jobs wait."""
A_FEW = 4
"""Fewer runners may all have left by chance."""
PERHAPS_OWN = 0.6
"""Launches per job, known or by the machines that boot, from which a machine may be created for each job."""


def find(facts: Facts) -> Found | None:
    """The alert or most jobs name an unknown label, or the pool may have no runner, never had one, or loses all."""
    if (asked := _asked_for(facts)) is not None:
        return asked
    now = facts.now
    if not facts.waits or now.idle or now.booting or now.offline or (now.online is None and not now.unlabelled):
        return None
    nobody = not now.online
    if now.limit == 0:
        seen = statement("no_runner_allowed", online=now.online, booting=now.booting)
        fell = bool(facts.usual.limit)
        return Found(0.5 if fell else 0.95 if nobody else 0.8, (seen,))
    had = [sample.at for sample in facts.series if (sample.online if now.unlabelled else sample.online != 0)]
    few = (now.queued or 0) < MANY and (had or now.limit is not None)  # who tells a pool's limit knows its label
    lately = few or (had and had[-1] >= now.at - LEFT_SECONDS)
    if now.creates != 0 or lately or _known(facts):
        return _leaving(facts)
    known = now.create_failures is not None
    if had:
        gone = statement("no_runner_now", queued=now.queued)
        return Found(0.5, (gone,)) if known and not now.starts_per_minute else None
    seen = statement("no_runner_ever", refused=now.create_failures, queued=now.queued)
    return Found(0.7 if known else 0.55, (seen,), () if known else ("create_failures",))


def _asked_for(facts: Facts) -> Found | None:
    """A label of the alert that is not configured, or one that most waiting jobs ask for and no runner has."""
    if facts.pool in facts.fleet.unknown_labels:
        return Found(0.7, (statement("pool_not_configured", pool=facts.pool),))
    none, queued = facts.now.unservable or 0, facts.now.queued or 0
    if not facts.waits or none < max(1.0, LEAST_SHARE * queued):
        return None
    return Found(0.5 + 0.35 * min(1.0, none / queued), (statement("unservable", jobs=none, queued=queued),))


def _known(facts: Facts) -> bool:
    """Whether a machine was refused or created since the trouble began: then the autoscaler knows the label.

    Each sample counts the machines of a quarter of an hour.
    """
    since = facts.usual.since
    return any(s.create_failures for s in facts.series if s.at >= since) or any(
        s.creates or s.booting for s in facts.series if s.at >= since + 1200.0
    )


def _leaving(facts: Facts) -> Found | None:
    """No runner is requested, as after lost events; and those that take job after job leave although jobs wait."""
    now, launches = facts.now, facts.usual.launches
    if now.creates or _known(facts) or (requested := none_requested(facts)) is None:
        return None
    known = now.create_failures is not None
    if launches is None and facts.usual.boots is not None:
        launches = facts.usual.boots * 60 / facts.rules.boot_time_seconds
    if launches is None or launches > PERHAPS_OWN:
        return Found(0.5, requested.evidence) if known else None
    waited = [s for s in facts.series if s.at >= facts.usual.since - BEFORE_SECONDS and (s.queued or 0) > (s.idle or 0)]
    had = max((s.online or 0 for s in waited), default=0)
    if not had or (now.online or 0) > LEFT * had:
        return None
    gone = statement("runners_left", online=now.online, before=had)
    if now.offline is None:  # then the runners that left may be offline
        return Found(0.4, (gone, *requested.evidence), (*requested.missing, "offline"))
    sure = 0.5 if had < A_FEW else 0.9 if known else 0.7
    return Found(sure, (gone, *requested.evidence), requested.missing)


RULE = Rule(
    "unknown_label",
    find,
    Scaling.NO,
    remedy="correct_label",
    outranks=("lost_events",),
    always=True,
    in_vain=NOT_FOR_THESE,
)
