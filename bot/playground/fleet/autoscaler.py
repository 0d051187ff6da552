"""The next decision of a pool's autoscaler: runners to create and to remove."""

from dataclasses import dataclass
from itertools import islice

from bot.playground.fleet.pool import RunnerState, SimulatedPool, SimulatedRunner

TICK_SECONDS = 15.0


@dataclass(frozen=True, slots=True)
class Wish:
    """`at_once` creates fill a target set from outside; `paced` creates are slowed by the autoscaler's own rate."""

    at_once: int
    paced: int
    let_go: tuple[SimulatedRunner, ...]


def wish(pool: SimulatedPool, limit: int, now: float) -> Wish:
    """Return what the autoscaler does in one tick.

    It wants a runner for each busy one, each waiting job and each spare one, between minimum and limit. Offline runners
    count toward the limit (actions/actions-runner-controller#4102). Idle runners beyond the wish go after the idle
    timeout.
    """
    demand = pool.count(RunnerState.BUSY) + len(pool.waiting) + pool.spec.spare
    target, capacity = max(pool.floor, demand), pool.capacity
    dead = pool.count(RunnerState.OFFLINE)
    room = max(0, limit - capacity - dead)
    at_once = min(room, max(0, (pool.target or 0) - capacity - dead))
    missing = min(room, max(0, target - capacity)) - at_once
    surplus = max(0, capacity - min(target, limit))
    old_idle = (r for r in pool.idle.values() if now - r.since_seconds >= pool.spec.idle_timeout_seconds)
    return Wish(at_once, _paced(pool, max(0, missing)), tuple(islice(old_idle, surplus)))


def _paced(pool: SimulatedPool, missing: int) -> int:
    per_tick = pool.spec.creates_per_minute * TICK_SECONDS / 60
    pool.create_allowance = min(pool.create_allowance + per_tick, max(1.0, 2 * per_tick))
    creates = min(missing, int(pool.create_allowance))
    pool.create_allowance -= creates
    return creates
