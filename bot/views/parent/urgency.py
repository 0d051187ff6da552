"""The order of incidents in every list, and of their threads: what is worst for people comes first."""

from collections.abc import Iterable, Mapping

from bot.core.incident.incident import Incident
from bot.core.pool.pool import Pool, Snapshot
from bot.core.ranking.readings import worst_readings
from bot.core.ranking.worst_first import worst_first

NO_POOLS: Mapping[str, Pool] = {}
LAST = "P9"
"""Where an alert without a priority stands."""


def urgent_first(incidents: Iterable[Incident], pools: Mapping[str, Pool] = NO_POOLS) -> list[Incident]:
    """The alert's priority where it has one, then the worst pool in the order of `worst_first`, then the age."""
    oldest = sorted(incidents, key=lambda one: (one.opened_at, one.id))
    figures = [figure for one in oldest if (figure := _worst(one, pools))]
    place = {sample.pool: number for number, sample in enumerate(worst_first(figures))}

    def order(one: Incident) -> tuple[bool, str, int]:
        return one.closed, one.group.priority or LAST, place.get(one.id, len(place))

    return sorted(oldest, key=order)


def _worst(incident: Incident, pools: Mapping[str, Pool]) -> Snapshot | None:
    """Its worst pool now, by the name of the incident; else what was last reported; else what its alert says."""
    names = incident.pools.affected or incident.pools.candidates
    known = [pool.latest for name in names if (pool := pools.get(name)) and pool.latest]
    if known:
        worst = worst_first(known)[0]
        return Snapshot(incident.id, worst.at, worst.queued, worst.oldest_wait_seconds)
    if (last := incident.pools.reported) is not None:
        return Snapshot(incident.id, last.at, last.queued, last.oldest_wait_seconds)
    if (read := worst_readings(incident.group.firing)) is None:
        return None
    jobs, minutes = read.most_queued_jobs, read.longest_wait_minutes
    wait = None if minutes is None else minutes * 60
    return Snapshot(incident.id, incident.opened_at, None if jobs is None else round(jobs), wait)
