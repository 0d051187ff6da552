"""The autoscaler misses events of jobs, or gets them late, so it creates nothing.

See docs/design/diagnosis.md#lost-events.
"""

from bot.core.finding import MAY_NOT_COME, Facts, Found, Rule, Scaling
from bot.core.pool.backlog import Factor
from bot.core.pool.baseline import mean
from bot.core.pool.pool import Snapshot
from bot.core.statement import statement
from bot.diagnosis.too_few import EACH_ITS_OWN, few_requested, keeps_size, taken

LEAST_LOOKS = 3
FEWER = 0.7
"""Launches per job against the usual, from which events are missing."""

UNTOLD, UNSEEN, LABEL = 0.35, 0.6, 0.5
"""Confidence where nobody counts created and refused machines: it is right in about 3 of 10 cases; where the
autoscaler's own queue is empty, but nobody counts booting machines; and where the label may be wrong as well."""
MANY, LEFT_SECONDS = 6, 900.0
"""With so many jobs, so long after the last runner left, the label may be wrong rather than that events are lost."""


def find(facts: Facts) -> Found | None:
    """Hardly a launch although jobs wait; or, where each job gets a machine, clearly fewer launches than jobs."""
    if (facts.now.queued or 0) >= MANY and not any(s.online or s.booting or s.creates for s in facts.series):
        return None  # no sample shows a machine: the label may never have been right
    if (facts.usual.launches or 0.0) < EACH_ITS_OWN:
        none = none_requested(facts) or _not_asked(facts)
        return None if facts.now.creates and few_requested(facts) else none
    return None if keeps_size(facts) else none_requested(facts) or _fewer(facts) or few_requested(facts)


def _fewer(facts: Facts) -> Found | None:
    now, recent = facts.now, facts.recent(45)
    usual, created, arrived = facts.usual.launches, mean(recent, "creates"), mean(recent, "arrivals_per_minute")
    if created is None or usual is None or not arrived or now.create_failures or now.idle:
        return None
    jobs = 15 * arrived
    rooms = [s.limit - taken(s) for s in recent if s.limit is not None and s.online is not None]
    ratio = created / jobs / min(1.0, usual)
    if facts.share(Factor.ARRIVALS) > 0.3 or ratio > FEWER or jobs < 8:
        return None
    if rooms and min(rooms) < max(2, 0.05 * (now.limit or 0)):
        return None
    seen = statement("launches_per_job", launches=created / 15, arrivals=arrived, usual=usual)
    return Found(0.65 + 0.25 * (1 - ratio), (seen,))


def none_requested(facts: Facts) -> Found | None:
    """Room below the limit, no idle runners, waiting jobs, and hardly a launch request for two boot times."""
    now = facts.now
    if now.idle or now.online is None or now.create_failures or not now.queued:
        return None
    if (room := _room(now)) == 0:
        return None
    minutes = max(10.0, 2 * facts.rules.boot_time_seconds / 60)
    looks = [s for s in facts.recent(minutes) if s.booting is not None]
    asked = sum((s.booting or 0) > 0 for s in looks)
    if len(looks) < (3 if now.creates != 0 else 1) or asked > 0.2 * len(looks):
        return None
    if any((s.queued or 0) <= (s.idle or 0) for s in looks):
        return None
    if now.creates is None and not any(s.booting for s in facts.series):
        return None  # no sample of this pool has ever shown a booting machine
    seen = [statement("none_booting", queued=now.queued, oldest_wait_seconds=now.oldest_wait_seconds)]
    if room is not None:
        seen.append(statement("room_left", runners=room))
    if now.creates is not None:
        seen.append(statement("none_requested", created=now.creates, refused=now.create_failures))
    before = sum((s.create_failures or 0) > 0 for s in facts.before(minutes))
    if before:
        seen.append(statement("refused_before"))
    sure = 0.85 if now.creates == 0 else 0.5
    sure -= 0.1 if now.create_failures is None else 0.0
    if room is None or now.create_failures is None:
        sure = min(sure, 0.45 if now.creates is not None else UNTOLD)
    missing = tuple(name for name in ("limit", "creates", "create_failures") if getattr(now, name) is None)
    return Found(sure, tuple(seen), missing)


def _not_asked(facts: Facts) -> Found | None:
    """The autoscaler's own queue stays empty beside jobs that have waited for two boots: a refused request waits in it.

    Where all runners have left and many jobs wait, the label may have been removed as well.
    """
    now, minutes = facts.now, max(10.0, 2 * facts.rules.boot_time_seconds / 60)
    room, looks = _room(now), [s for s in facts.recent(minutes) if s.requests is not None]
    if now.booting is not None or not room or now.create_failures:
        return None
    if len(looks) < LEAST_LOOKS or (now.oldest_wait_seconds or 0.0) < 60 * minutes:
        return None
    sizes = [s.online or 0 for s in looks]
    if any(s.requests or s.idle or not s.queued or not _room(s) for s in looks) or sizes[-1] > sizes[0]:
        return None
    had = [s.at for s in facts.series if s.online]
    if not had:
        return None  # no sample shows a runner: the label may never have been right
    sure = LABEL if had[-1] < now.at - LEFT_SECONDS and (now.queued or 0) >= MANY else UNSEEN
    seen = statement("no_request_waits", queued=now.queued, oldest_wait_seconds=now.oldest_wait_seconds)
    return Found(sure, (seen, statement("room_left", runners=room)), ("booting",))


def _room(sample: Snapshot) -> int | None:
    """Runners that are allowed beside those that are there; 0 where next to none is, None if the limit is unknown."""
    room = None if sample.limit is None else sample.limit - taken(sample)
    return room if room is None or room >= max(1, 0.05 * (sample.limit or 0)) else 0


RULE = Rule(
    "lost_events",
    find,
    Scaling.HELPS,
    remedy="resend_requests",
    needs=("idle",),
    one_of=("booting", "requests"),
    outranks=("surge", "too_few"),
    in_vain=MAY_NOT_COME,
)
