"""The true figures of one simulated pool at one instant, for metrics, alerts and tests."""

import math
from dataclasses import dataclass

from bot.playground.fleet.pool import RATE_WINDOW_SECONDS, RunnerState, SimulatedPool
from bot.playground.fleet.simulation import SimulatedFleet


@dataclass(frozen=True, slots=True)
class PoolFigures:
    """One pool now; ages, waits and durations are simulated seconds, rates are per simulated minute.

    A duration is None when no job completed in the last simulated hour.
    """

    pool: str
    queued: int
    oldest_wait_seconds: float
    booting: int
    idle: int
    busy: int
    offline: int
    failed: int
    limit: int
    arrivals_per_minute: float
    starts_per_minute: float
    completions_per_minute: float
    duration_p50_seconds: float | None
    running_seconds: float


def read(fleet: SimulatedFleet, name: str) -> PoolFigures:
    """Return the figures of a pool now."""
    pool, now = fleet.pools[name], fleet.now_seconds
    per_minute = 60 / RATE_WINDOW_SECONDS
    durations = sorted([seconds for _, seconds, _ in pool.tally.durations])
    return PoolFigures(
        pool=name,
        queued=len(pool.waiting),
        oldest_wait_seconds=now - pool.waiting[0].queued_at if pool.waiting else 0.0,
        booting=pool.count(RunnerState.BOOTING),
        idle=pool.count(RunnerState.IDLE),
        busy=pool.count(RunnerState.BUSY),
        offline=pool.count(RunnerState.OFFLINE),
        failed=pool.count(RunnerState.FAILED),
        limit=fleet.limit(name),
        arrivals_per_minute=len(pool.tally.arrivals_at) * per_minute,
        starts_per_minute=len(pool.tally.starts_at) * per_minute,
        completions_per_minute=len(pool.tally.completions_at) * per_minute,
        duration_p50_seconds=_quantile(durations, 0.5),
        running_seconds=_longest_running(pool, now),
    )


def _longest_running(pool: SimulatedPool, now: float) -> float:
    started = [r.job.started_at for r in pool.runners.values() if r.job is not None and r.job.started_at is not None]
    return now - min(started) if started else 0.0


def _quantile(ordered: list[float], share: float) -> float | None:
    if not ordered:
        return None
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]
