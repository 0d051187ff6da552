"""Diagnoses an incident's pools from their records."""

import asyncio
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from bot.context.forecast_inputs import inputs_of
from bot.core.finding import MEDIUM, Diagnosis, Finding, Moment, Scaling, facts_of
from bot.core.forecast.forecast import forecast
from bot.core.incident.held_cause import HeldCause, judged, remembered
from bot.core.incident.incident import Incident
from bot.core.incident.observe import Timing, View, back_to_normal
from bot.core.pool.outlook import NOTHING, Forecast, ToldByCause
from bot.core.pool.pool import Pool, PoolRules, empty
from bot.diagnosis.rank import diagnosed
from bot.diagnosis.registry import RULES

STILL = frozenset(rule.cause for rule in RULES if rule.still)
"""Causes by which supply stands still until somebody repairs it."""
MOST = 0.5
"""Origin: most of what waits."""
GROWING = frozenset({"few_came"})
"""Evidence that machines come, though too few: supply grows as lately then, and does not stand still."""
HARMFUL = frozenset(rule.cause for rule in RULES if rule.scaling is Scaling.HARMFUL)
"""Causes beside which more machines cost or hurt."""
IN_VAIN = frozenset(rule.cause for rule in RULES if rule.in_vain)
"""Causes by which added runners get none of the jobs."""


def told_by_cause(pool: Pool, rules: PoolRules, moment: Moment) -> ToldByCause:
    """What the first cause says to the model beside the figures."""
    found = next(diagnosed(facts) for facts in facts_of((pool.id,), {pool.id: pool}, {pool.id: rules}, moment))
    return _told_by(found)


def _told_by(found: Diagnosis | None) -> ToldByCause:
    """The same of a diagnosis that is there already."""
    first = found.claims[0] if found and found.claims else None
    if first is None or first.confidence < MEDIUM:
        return NOTHING
    still = first.cause in STILL and not any(one.id in GROWING for one in first.evidence)
    return ToldByCause(still, _no_gain(first) or _in_vain(first), first.fresh)


def _in_vain(cause: Finding) -> bool:
    """Whether added runners get none of the jobs that wait; where it explains but a part, they may get the others."""
    return cause.cause in IN_VAIN and (cause.share is None or cause.share >= MOST)


def _no_gain(cause: Finding) -> bool:
    """Whether more machines cost or hurt by this cause, so that they end no more jobs."""
    return cause.shared or cause.cause in HARMFUL


def diagnoses(
    names: Sequence[str], pools: Mapping[str, Pool], rules: Mapping[str, PoolRules], moment: Moment
) -> tuple[Diagnosis, ...]:
    """The diagnosis of each pool, with the others as context; whether more runners help is read off the walk."""
    found = (diagnosed(facts) for facts in facts_of(names, pools, rules, moment))
    return tuple(advised(one, pools.get(one.pool), rules.get(one.pool)) for one in found)


def advised(found: Diagnosis, pool: Pool | None, rules: PoolRules | None) -> Diagnosis:
    """The diagnosis with the advice of the walk: the cause adds only that machines would cost or hurt."""
    if not found.claims or pool is None or found.blind:
        return found
    made = pool.shown_forecast  # the one that messages show, also where a later sample has no forecast of its own
    if made is None:
        made = forecast_with_cause(pool, rules or PoolRules(pool.id), found)
    return replace(found, findings=tuple(with_advice(one, made) for one in found.findings))


def forecast_with_cause(pool: Pool, rules: PoolRules, found: Diagnosis | None) -> Forecast:
    """The forecast of the pool's newest sample, with what its first cause says."""
    inputs = inputs_of(pool, _told_by(found))
    return forecast(pool.samples, rules, pool.calibration, pool.ahead, pool.day, inputs=inputs)


def scaling_of(made: Forecast | None, cause: Finding | None) -> Scaling:
    """Whether more runners help, by the walk; the cause adds only that they cost or hurt."""
    if made is None or made.helped is None:
        return Scaling.UNKNOWN
    if made.helped:
        return Scaling.HELPS
    return Scaling.HARMFUL if cause is not None and _no_gain(cause) else Scaling.NO


def with_advice(found: Finding, made: Forecast) -> Finding:
    """A cause with what the walk says of more runners."""
    scaling = scaling_of(made, found)
    if scaling is Scaling.HELPS:
        return replace(found, scaling=scaling, added=made.added, times_faster=made.times_faster or 1.0)
    return replace(found, scaling=scaling, added=0, times_faster=1.0, full=made.helped is False and not made.added)


def moment_of(now: float, paces: Timing, unknown: tuple[str, ...] = ()) -> Moment:
    return Moment(now, paces.poll, unknown)


def diagnosed_in(view: View, incident: Incident, now: float, paces: Timing) -> tuple[Diagnosis, ...]:
    """The diagnosis of each pool of an incident, with the cause that the incident remembers first."""
    found = _found(view, incident, now, paces, incident.pools.candidates)
    named = (remembered(incident.pools.verdicts.get(one.pool), one) for one in found)
    return tuple(advised(one, view.pools.get(one.pool), view.rules.get(one.pool)) for one in named)


def _found(view: View, incident: Incident, now: float, paces: Timing, names: Collection[str]) -> Iterator[Diagnosis]:
    """The diagnosis of these pools of an incident, with its others and those beside it as context."""
    pools, moment = incident.pools.candidates, moment_of(now, paces, incident.pools.unknown_pools)
    facts = facts_of((*pools, *view.beside), {**view.beside, **view.pools}, view.rules, moment)
    return (diagnosed(one) for one in facts if one.pool in names)


def concerned(view: View, incident: Incident) -> frozenset[str]:
    """The pools whose causes count: the affected ones, and those that are not known to be fine."""
    return frozenset(
        name
        for name in incident.pools.candidates
        if name in incident.pools.affected or not _fine(view.pools.get(name), view.rules.get(name, PoolRules(name)))
    )


def _fine(pool: Pool | None, rules: PoolRules) -> bool:
    return pool is not None and pool.trouble is None and empty(pool.latest, rules.floor) is True


async def explained(view: View, incident: Incident, now: float, paces: Timing) -> View:
    """The view with the cause and the forecast of each affected pool; a closed incident is drawn from its record alone.

    A pool has no forecast on record while nobody waits for one: the first message must not do without. The event loop
    serves others between two pools.
    """
    if incident.closed or not view.pools:
        return view
    found = list[Diagnosis]()
    for one in _found(view, incident, now, paces, concerned(view, incident)):
        found.append(one)
        await asyncio.sleep(0)
    verdicts = {one.pool: held for one in found if (held := _verdict(view, incident, one))}
    first = {one.pool: remembered(verdicts.get(one.pool), one) for one in found}
    pools = dict(view.pools)
    for name in incident.pools.affected:
        if name in pools:
            pools[name] = with_forecast(pools[name], view, incident, first.get(name))
            await asyncio.sleep(0)
    named = [advised(one, pools.get(name), view.rules.get(name)) for name, one in first.items()]
    causes: dict[str, Finding] = {one.pool: one.claims[0] for one in named if one.claims}
    rivals = {one.pool: tuple(next_.cause for next_ in one.claims[1:3]) for one in named}
    return replace(view, pools=pools, causes=causes, rivals=rivals, verdicts=verdicts)


def with_forecast(pool: Pool, view: View, incident: Incident, found: Diagnosis | None) -> Pool:
    """The pool, with a forecast from its samples and its diagnosis if it queues and none is on record.

    Normal waits are no reason against it while an alert on the number of jobs fires.
    """
    rules = view.rules.get(pool.id, PoolRules(pool.id))
    known = pool.shown_forecast is not None or pool.trouble is not None
    if known or pool.latest is None or back_to_normal(incident, pool.latest, rules):
        return pool
    return replace(pool, outlook=forecast_with_cause(pool, rules, found))


def _verdict(view: View, incident: Incident, found: Diagnosis) -> HeldCause | None:
    held, pool = incident.pools.verdicts.get(found.pool), view.pools.get(found.pool)
    last = pool.latest if pool else None
    return held if last is None else judged(held, found, last.at, last.queued)
