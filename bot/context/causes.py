"""Diagnoses an incident's pools from their records."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from bot.core.finding import Diagnosis, Finding, Moment, facts_of
from bot.core.incident.incident import Incident
from bot.core.incident.observe import Timing, View
from bot.core.pool.pool import Pool, PoolRules
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
    """The diagnosis of each pool of an incident."""
    moment = moment_of(now, paces, incident.pools.unknown_pools)
    return diagnoses(incident.pools.candidates, view.pools, view.rules, moment)


def explained(view: View, incident: Incident, now: float, paces: Timing) -> View:
    """The view with the likeliest cause of each affected pool; a closed incident is drawn from its record alone."""
    if incident.closed or not view.pools:
        return view
    found = diagnosed_in(view, incident, now, paces)
    causes: dict[str, Finding] = {d.pool: d.claims[0] for d in found if d.claims}
    return replace(view, causes=causes)
