"""Diagnoses an incident's pools from their records."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from bot.core.finding import Diagnosis, Finding, Moment, facts_of
from bot.core.forecast.forecast import forecast
from bot.core.incident.held_cause import HeldCause, judged, remembered
from bot.core.incident.incident import Incident
from bot.core.incident.observe import Timing, View, back_to_normal
from bot.core.pool.pool import Pool, PoolRules, empty
from bot.diagnosis.rank import diagnosed


def diagnoses(
    names: Sequence[str], pools: Mapping[str, Pool], rules: Mapping[str, PoolRules], moment: Moment
) -> tuple[Diagnosis, ...]:
    """The diagnosis of each pool, with the others as context."""
    return tuple(diagnosed(facts) for facts in facts_of(names, pools, rules, moment))


def moment_of(now: float, paces: Timing, unknown: tuple[str, ...] = ()) -> Moment:
    """The time of the diagnosis."""
    return Moment(now, paces.poll, unknown)


def diagnosed_in(view: View, incident: Incident, now: float, paces: Timing) -> tuple[Diagnosis, ...]:
    """The diagnosis of each pool of an incident, with the cause that the incident remembers first."""
    found = _found(view, incident, now, paces, incident.pools.candidates)
    return tuple(remembered(incident.pools.verdicts.get(one.pool), one) for one in found)


def _found(view: View, incident: Incident, now: float, paces: Timing, names: Collection[str]) -> tuple[Diagnosis, ...]:
    """The diagnosis of these pools of an incident, with its others and those beside it as context."""
    pools, moment = incident.pools.candidates, moment_of(now, paces, incident.pools.unknown_pools)
    facts = facts_of((*pools, *view.beside), {**view.beside, **view.pools}, view.rules, moment)
    return tuple(diagnosed(one) for one in facts if one.pool in names)


def concerned(view: View, incident: Incident) -> frozenset[str]:
    """The pools whose causes count: the affected ones, and those that are not known to be fine."""
    return frozenset(
        name
        for name in incident.pools.candidates
        if name in incident.pools.affected or not _fine(view.pools.get(name), view.rules.get(name, PoolRules(name)))
    )


def _fine(pool: Pool | None, rules: PoolRules) -> bool:
    return pool is not None and pool.trouble is None and empty(pool.latest, rules.floor) is True


def explained(view: View, incident: Incident, now: float, paces: Timing) -> View:
    """The view with the cause and the forecast of each affected pool; a closed incident is drawn from its record alone.

    A pool has no forecast on record while nobody waits for one: the first message must not do without.
    """
    if incident.closed or not view.pools:
        return view
    found = _found(view, incident, now, paces, concerned(view, incident))
    verdicts = {one.pool: held for one in found if (held := _verdict(view, incident, one))}
    named = [remembered(verdicts.get(one.pool), one) for one in found]
    causes: dict[str, Finding] = {one.pool: one.claims[0] for one in named if one.claims}
    names = [name for name in incident.pools.affected if name in view.pools]
    affected = {name: with_forecast(view.pools[name], view, incident) for name in names}
    return replace(view, pools={**view.pools, **affected}, causes=causes, verdicts=verdicts)


def with_forecast(pool: Pool, view: View, incident: Incident) -> Pool:
    """The pool, with a forecast from its samples if it queues and none is on record.

    Normal waits are no reason against it while an alert on the number of jobs fires.
    """
    rules = view.rules.get(pool.id, PoolRules(pool.id))
    known = pool.said is not None or pool.trouble is not None
    if known or pool.latest is None or back_to_normal(incident, pool.latest, rules):
        return pool
    return replace(pool, outlook=forecast(pool.samples, rules, pool.calibration, pool.ahead))


def _verdict(view: View, incident: Incident, found: Diagnosis) -> HeldCause | None:
    held, pool = incident.pools.verdicts.get(found.pool), view.pools.get(found.pool)
    last = pool.latest if pool else None
    return held if last is None else judged(held, found, last.at, last.queued)
