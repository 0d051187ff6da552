"""How a pool gets its runners: places, boots, and what keeps machines away."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from bot.core.forecast.rates import LEAST_SAMPLES, NOW_MINUTES, Count, online, within
from bot.core.pool.baseline import COUNTED_MINUTES, Baseline
from bot.core.pool.pool import FULL_WITHIN, Snapshot
from bot.core.statement import Statement, statement

PATIENCE_BOOTS, LEAST_MINUTES = 2.0, 10.0
"""Origin: a machine that is late by a boot is not missing, nor is one within the time over which sources average."""
OWN_MACHINES = 0.5
"""Machines launched per job, above which each job has its own. Origin: most jobs."""
LEAST_MISSING = 0.1
"""Share of the limit, at least two machines, that must be missing. Origin: judgement; fewer may be a late count."""


@dataclass(frozen=True, slots=True)
class Supply:
    """The places of a pool, and how they fill."""

    works: float
    """Share of the places at work: where each job has its own machine, a place boots for the rest of the time."""
    max_runners: float
    """Runners that the pool may reach as it is."""
    limited: bool
    """Whether its limit is known; else it may reach as many as it ever had."""
    reached: bool
    """Whether it has as many."""
    there: float
    """Machines of the pool: its runners, those that boot, and those that are offline or failed, ..."""
    away: float
    """... which take no jobs."""
    share_succeeding: float | None
    """Share of the launches that succeed lately; None where nobody counts those that fail."""
    came: Count
    """Runners that came lately, over minutes."""
    booting: float
    """Machines that boot beyond those that boot all the time."""
    usual: float
    """Runners that the pool has when nothing keeps them away."""
    launched: Count | None
    """Machines that came lately, where each job has its own and the pool has room: each ends with its job, so more
    come only if more are launched. None: runners stay."""
    usual_launches: float
    """Machines that usually come per minute."""


def supply_of(series: Sequence[Snapshot], usual: Baseline, boot: float, pace: float) -> Supply:
    last, patience = series[-1], max(LEAST_MINUTES, PATIENCE_BOOTS * boot)
    lately = [s for s in within(series, patience) if online(s) is not None]
    now = float(online(last) or 0)
    grew = max(0.0, now - (online(lately[0]) or 0)) if lately else 0.0
    minutes = (lately[-1].at - lately[0].at) / 60 if lately else 0.0
    each = usual.launched(boot) or 0.0
    always = _boots_always(series, each, boot, pace)
    booting = max(0.0, _booting(last, boot) - always * (now + _booting(last, boot)))
    works = 1.0 - always
    away = float((last.offline or 0) + (last.failed or 0))
    there = now + _booting(last, boot) + away
    past = max((float(online(s) or 0) for s in series), default=0.0)
    if last.limit is None:
        reached, max_runners, most = grew < 1 and booting < 1, max(past, now + booting), past
    else:
        reached = last.limit - there <= max(1.0, FULL_WITHIN * last.limit)
        max_runners, most = (last.limit - away) * works, max(float(last.limit), usual.limit or 0.0) * works
    return Supply(
        works,
        max_runners,
        limited=last.limit is not None,
        reached=reached,
        there=there,
        away=away,
        share_succeeding=_share_succeeding(last),
        came=Count(grew, minutes),
        booting=booting,
        usual=most,
        launched=None if reached or last.limit is None else launched(series, each),
        usual_launches=each * (usual.arrivals or 0.0),
    )


def _share_succeeding(last: Snapshot) -> float | None:
    """Share of the launches that succeed; None where nobody counts those that fail."""
    if last.create_failures is None:
        return None
    failed, made = last.create_failures, last.creates or 0
    return made / (made + failed) if failed + made >= LEAST_SAMPLES else 1.0


def launched(series: Sequence[Snapshot], each: float) -> Count | None:
    """Machines that came lately, where each job has its own and none is idle: those that registered, else the started
    jobs. None where runners stay, or nobody counts. `each`: machines that are usually launched per job."""
    last = series[-1]
    if last.idle or each <= OWN_MACHINES:
        return None
    if last.registered is not None:
        return Count(float(last.registered), COUNTED_MINUTES)
    lately = [s for s in within(series, COUNTED_MINUTES) if s.starts_per_minute is not None]
    started = sum(s.starts_per_minute or 0.0 for s in lately)
    return Count(started / len(lately) * COUNTED_MINUTES, COUNTED_MINUTES) if lately else None


def _booting(sample: Snapshot, boot: float) -> float:
    """Machines that boot; where unknown, those that the started jobs need during a boot, as far as the limit allows."""
    if sample.booting is not None:
        return float(sample.booting)
    have = online(sample)
    if sample.starts_per_minute is None or sample.limit is None or have is None or sample.idle:
        return 0.0
    return min(max(0.0, sample.limit - have), sample.starts_per_minute * boot)


def _boots_always(series: Sequence[Snapshot], each: float, boot: float, pace: float) -> float:
    """Share of the places that boot at any time: where each job has its own machine, one boots before each job."""
    full = [
        (online(s) or 0, _booting(s, boot))
        for s in within(series, max(NOW_MINUTES, PATIENCE_BOOTS * boot))
        if s.limit and s.busy and (online(s) or 0) + _booting(s, boot) >= s.limit
    ]
    if len(full) >= LEAST_SAMPLES and PATIENCE_BOOTS * boot <= NOW_MINUTES * len(full):
        booting = sum(boots for _, boots in full)
        return booting / (booting + sum(have for have, _ in full))
    return boot * pace / (1 + boot * pace) if each > OWN_MACHINES else 0.0


def returned_hosts(series: Sequence[Snapshot]) -> Count:
    """Hosts that came back, and for how many minutes hosts were offline."""
    known = [(s.at, s.offline) for s in series if s.offline is not None]
    pairs = list(pairwise(known))
    back = sum(max(0, one - other) for (_, one), (_, other) in pairs)
    return Count(float(back), sum(one * (then - at) / 60 for (at, one), (then, _) in pairs))


def refused_launches(series: Sequence[Snapshot], boot: float) -> Statement | None:
    """Whether most of the ordered machines did not come: refused, or created a boot ago and not registered."""
    last, then = series[-1], within(series, boot + 1)[0]
    failed, made = last.create_failures or 0, last.creates or 0
    if failed >= LEAST_SAMPLES and failed > made:
        return statement("launches_refused", refused=failed, ordered=failed + made)
    created = then.creates or 0
    if last.registered is not None and created >= LEAST_SAMPLES and 2 * last.registered < created:
        return statement("not_registered", registered=last.registered, created=created)
    return None


def none_came(series: Sequence[Snapshot], boot: float, floor: float, supply: Supply) -> Statement | None:
    """Whether none came for two boots although jobs wait, nobody is idle and the limit has room."""
    patience = max(LEAST_MINUTES, PATIENCE_BOOTS * boot)
    lately = within(series, patience)
    known = [s for s in lately if None not in {s.limit, s.busy, s.idle, s.queued}]
    if len(known) < LEAST_SAMPLES or len(known) < len(lately) or 60 * patience > 60 + known[-1].at - series[0].at:
        return None
    for sample in known:
        limit, away = sample.limit or 0, (sample.offline or 0) + (sample.failed or 0)
        missing = limit - away - (online(sample) or 0) - _booting(sample, boot)
        if missing < max(2.0, LEAST_MISSING * limit) or sample.idle or (sample.queued or 0) <= floor:
            return None
    chance = math.sqrt(online(known[0]) or 1) if supply.works < 1 else 0.0  # where each job has its own machine
    many = supply.launched is not None and supply.launched.jobs > 1
    if many or supply.came.jobs > chance or supply.booting >= 1:
        return None
    return statement("none_come", minutes=round(patience), limit=known[-1].limit)
