"""Hosts or agents are offline."""

from bot.core.finding import AS_MANY, HIGH, MEDIUM, Facts, Found, Rule, Scaling
from bot.core.machines.beside import machines_alone
from bot.core.machines.room import LEAST_MINUTES, LEAST_ROOM, runners_in_service
from bot.core.machines.room import SAMPLES as LEAST_SAMPLES
from bot.core.pool.backlog import Factor
from bot.core.pool.baseline import COUNTED_MINUTES, QUARTER
from bot.core.statement import statement

LEAST_SHARE, MOST = 0.15, 0.5
"""Origin: judgement; fewer are repairs as ever, half of a pool is trouble for however long (pytorch#148127)."""
BEFORE_MINUTES, SAMPLES = 30, 10
"""Origin: judgement; ten samples before the last half hour tell that a pool was always full."""


def find(facts: Facts) -> Found | None:
    """More runners are offline than usual, or most of a pool, while none is idle."""
    now, usual = facts.now, facts.usual.offline
    if silent := _silent(facts):
        return silent
    if now.offline is None:
        return _gone(facts)
    if not now.offline or now.busy is None or now.idle:
        return None
    total, more = now.busy + now.offline, now.offline - (usual or 0)
    longer = more < 1 and now.offline >= MOST * total and total >= (now.limit or 0) - 1
    if not longer and more < max(1, LEAST_SHARE * total):
        return None
    baseline = [statement("usually_offline", runners=usual)] if usual is not None else []
    past = [statement("always_offline")] if longer else baseline
    seen = (statement("runners_offline", offline=now.offline, runners=total, share=now.offline / total), *past)
    sure = MEDIUM if now.idle is None or (longer and now.limit is None) else HIGH
    return Found(sure, seen, () if usual is not None else ("usual_offline",))


def _silent(facts: Facts) -> Found | None:
    """Machines that the cloud counts in service while their runners are gone (pytorch#138724).

    They do not boot: there are as many all the time, and no runner comes. Where machines are created meanwhile, they
    may be new ones that never register (machines/unregistered.py).
    """
    now, lately, early = facts.now, facts.recent(COUNTED_MINUTES), facts.before(BEFORE_MINUTES)
    alone = [n for s in lately if (n := machines_alone(facts, s)) is not None]
    before = sorted(n for s in early if s.at < facts.usual.since and (n := machines_alone(facts, s)) is not None)
    if now.idle or now.creates or not before or len(alone) < max(LEAST_SAMPLES, len(lately)):
        return None
    came = (now.online or 0) > (lately[0].online or 0)
    usual = before[round(QUARTER * (len(before) - 1))]
    if came or min(alone) - usual < max(LEAST_ROOM, LEAST_SHARE * runners_in_service(facts, now)):
        return None
    seen = statement("machines_alone", machines=alone[-1], of=runners_in_service(facts, now))
    return Found(MEDIUM, (seen,), ("creates",) if now.creates is None else ())


def _gone(facts: Facts) -> Found | None:
    """Where nobody counts them: a pool that was always as large as its limit is smaller now, and nothing boots."""
    now, limit = facts.now, facts.now.limit
    before = [s.online for s in facts.before(BEFORE_MINUTES) if s.at < facts.usual.since and s.online is not None]
    samples = [s for s in facts.recent(LEAST_MINUTES) if s.online is not None]
    if now.idle or not limit or len(before) < SAMPLES or min(before) < AS_MANY * limit or not samples:
        return None
    if any(s.booting or (s.online or 0) > limit - max(2, LEAST_SHARE * limit) for s in samples):
        return None
    return Found(
        MEDIUM,
        (statement("runners_left", online=now.online, before=max(before)),),
        ("offline",),
        part=facts.parts.get(Factor.SUPPLY),
    )


RULES = (
    Rule(
        "offline",
        find,
        Scaling.NO,
        remedy="bring_hosts_back",
        needs=("busy",),
        one_of=("offline", "limit", "machines"),
        shows="offline",
        factor=Factor.OFFLINE,
    ),
)
