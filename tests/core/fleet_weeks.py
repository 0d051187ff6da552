"""Weeks of the simulated fleet as a pool's past has them, and how long every job really waited."""

from collections import deque
from dataclasses import dataclass, field, replace
from typing import Any

from bot.core.pool.history import entered
from bot.core.pool.hour_stats import HourStats
from bot.core.pool.pool import Snapshot
from bot.playground.fleet.figures import read
from bot.playground.fleet.simulation import SimulatedFleet
from bot.playground.fleet.spec import PoolSpec, Rate
from tests.playground.fleet_world import SOURCE

MONDAY = 1_799_625_600.0
"""2027-01-11 00:00 UTC, a Monday; full hours from there are full hours of the epoch."""
HOUR = 3600.0
LOOK_SECONDS = 60.0


@dataclass
class Lived:
    cells: list[HourStats] = field(default_factory=list)
    jobs: list[tuple[float, float]] = field(default_factory=list)
    """(arrival, wait) of every job that started, both in seconds."""
    samples: list[Snapshot] = field(default_factory=list)


def spec(limit: int, rates: tuple[Rate, ...] = (), **parts: Any) -> PoolSpec:
    """A pool that boots as fast as it is asked to, up to its limit; one kind of job of about 10 minutes."""
    given: dict[str, Any] = {
        "name": "linux.2xlarge", "arrivals_per_minute": 1.0, "sources": (SOURCE,), "minimum": limit, "limit": limit,
        "ceiling": 400, "creates_per_minute": 400.0, "rates": rates,
    }  # fmt: skip
    return PoolSpec(**{**given, **parts})


def rush(days: int, at_hour: int, hours: int, per_minute: float) -> tuple[Rate, ...]:
    """More jobs at the same hours of the first days, one a minute else."""
    found = []
    for day in range(days):
        begins = MONDAY + day * 86400 + at_hour * HOUR
        found += [Rate(begins, per_minute), Rate(begins + hours * HOUR, 1.0)]
    return tuple(found)


def live(pool: PoolSpec, hours: float, seed: int = 1) -> Lived:
    """Run the pool from Monday on, look at it once a minute, and keep the hours as its past would."""
    fleet, lived = SimulatedFleet([pool], seed=seed, start_seconds=MONDAY), Lived()
    waiting: deque[float] = deque()
    newest = MONDAY, MONDAY
    for step in range(1, round(hours * HOUR / LOOK_SECONDS) + 1):
        now = MONDAY + step * LOOK_SECONDS
        fleet.advance(now)
        tally = fleet.pools[pool.name].tally
        waiting.extend(at for at in tally.arrivals_at if at > newest[0])
        for at in [at for at in tally.starts_at if at > newest[1]]:
            begun = waiting.popleft()
            lived.jobs.append((begun, at - begun))
        newest = (now, now)
        lived.samples.append(snapshot(fleet, pool.name))
    lived.cells += entered(None, None, lived.samples)[1]
    return lived


def snapshot(fleet: SimulatedFleet, name: str) -> Snapshot:
    seen = read(fleet, name)
    return Snapshot(
        name,
        fleet.now_seconds,
        queued=seen.queued,
        oldest_wait_seconds=seen.oldest_wait_seconds,
        busy=seen.busy,
        idle=seen.idle,
        limit=seen.limit,
        arrivals_per_minute=seen.arrivals_per_minute,
        starts_per_minute=seen.starts_per_minute,
        completions_per_minute=seen.completions_per_minute,
        duration_p50_seconds=seen.duration_p50_seconds,
    )


def with_limit(pool: PoolSpec, limit: int) -> PoolSpec:
    """The same pool, really run with another limit."""
    return replace(pool, limit=limit, minimum=min(pool.minimum, limit) if pool.minimum < pool.limit else limit)
