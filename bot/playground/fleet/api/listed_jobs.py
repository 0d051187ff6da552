"""Single jobs and kinds of jobs of one simulated pool, as the CI knows them."""

import statistics
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from bot.playground.fleet.pool import SimulatedJob
from bot.playground.fleet.simulation import SimulatedFleet
from bot.playground.fleet.spec import Source

LONGEST = 10
ENOUGH = 5
"""Jobs of a kind whose median is told."""
KindStats = list[tuple[Source, dict[str, float]]]


@dataclass(frozen=True, slots=True)
class ListedJob:
    """A job that waits or runs, and for how many simulated seconds."""

    repository: str
    workflow: str
    job: str
    url: str
    seconds: float


def longest_waiting(fleet: SimulatedFleet, name: str) -> tuple[ListedJob, ...]:
    """Return the jobs of a pool that have waited longest, longest first."""
    now = fleet.now_seconds
    return tuple(_listed(job, now - job.queued_at) for job in islice(fleet.pools[name].waiting, LONGEST))


def longest_running(fleet: SimulatedFleet, name: str) -> tuple[ListedJob, ...]:
    """Return the jobs of a pool that have run longest, longest first."""
    found = ((job.started_at, job) for job in _running(fleet, name) if job.started_at is not None)
    order = sorted(found, key=lambda one: (one[0], one[1].id))[:LONGEST]
    return tuple(_listed(job, fleet.now_seconds - started) for started, job in order)


def kinds(fleet: SimulatedFleet, name: str) -> KindStats:
    """Return per kind of job the median of the last hour, what is usual, and how many run."""
    ended, runs = defaultdict[Source, list[float]](list), defaultdict[Source, int](int)
    for _, seconds, source in fleet.pools[name].tally.durations:
        ended[source].append(seconds)
    for job in _running(fleet, name):
        runs[job.source] += 1
    found: KindStats = []
    for source in fleet.pools[name].spec.sources:
        minutes = {"usual": 60 * source.median_minutes, "running": float(runs[source])}
        if len(ended[source]) >= ENOUGH:
            minutes["now"] = statistics.median(ended[source])
        found.append((source, minutes))
    return found


def waits(fleet: SimulatedFleet, name: str) -> KindStats:
    """Return per kind of job how many wait, and the median, longest and shortest wait."""
    seconds = defaultdict[Source, list[float]](list)
    for job in fleet.pools[name].waiting:
        seconds[job.source].append(fleet.now_seconds - job.queued_at)
    return [
        (
            source,
            {"jobs": float(len(each)), "median": statistics.median(each), "longest": max(each), "shortest": min(each)},
        )
        for source, each in seconds.items()
    ]


def _running(fleet: SimulatedFleet, name: str) -> Iterable[SimulatedJob]:
    return (runner.job for runner in fleet.pools[name].runners.values() if runner.job is not None)


def _listed(job: SimulatedJob, seconds: float) -> ListedJob:
    source = job.source
    return ListedJob(source.repository, source.workflow, source.job, job.url, seconds)
