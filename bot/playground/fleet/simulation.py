"""The simulation: jobs arrive, wait, start and complete on runners that boot, idle, fail and go.

Deterministic for a seed, however the time is cut into steps; the time is simulated and handed in.
"""

import heapq
import math
import random
from collections.abc import Callable, Iterable
from functools import partial

from bot.playground.fleet.autoscaler import TICK_SECONDS, wish
from bot.playground.fleet.faults import FleetFault, FleetFaultKind
from bot.playground.fleet.pool import RunnerState, SimulatedJob, SimulatedPool, SimulatedRunner
from bot.playground.fleet.spec import PoolSpec, Source

Event = Callable[[float], None]


class OutOfRangeError(ValueError):
    """A target is below the pool's minimum or above its ceiling."""


class SimulatedFleet:
    """Pools of runners and their faults. `now_seconds` is simulated time; only `advance` moves it."""

    def __init__(
        self, pools: Iterable[PoolSpec], faults: Iterable[FleetFault] = (), seed: int = 0, start_seconds: float = 0.0
    ) -> None:
        self.now_seconds = start_seconds
        self.pools = {spec.name: SimulatedPool(spec) for spec in pools}
        self.faults: list[FleetFault] = []
        self._events: list[tuple[float, int, Event]] = []
        self._numbers = iter(range(1, 1 << 62))
        self._dice = {
            (name, use): random.Random(f"{seed}/{name}/{use}")  # noqa: S311 - a game, not a secret
            for name in self.pools
            for use in ("arrivals", "creates")
        }
        for pool in self.pools.values():
            self._open(pool, start_seconds)
        for fault in faults:
            self._inject(fault)

    def advance(self, to_seconds: float) -> None:
        """Simulate up to and including `to_seconds`; an earlier time changes nothing."""
        while self._events and self._events[0][0] <= to_seconds:
            at, _, event = heapq.heappop(self._events)
            self.now_seconds = max(at, self.now_seconds)
            event(self.now_seconds)
        self.now_seconds = max(self.now_seconds, to_seconds)
        for pool in self.pools.values():
            pool.tally.forget(self.now_seconds)

    @property
    def provider_up(self) -> bool:
        """Say whether the CI provider assigns jobs to runners."""
        return self._fault(FleetFaultKind.PROVIDER_OUTAGE, "") is None

    def limit(self, name: str) -> int:
        """Return the most runners that the pool may have now: its limit, or a higher target set from outside."""
        pool = self.pools[name]
        return max(pool.spec.limit, pool.target or 0)

    def set_target(self, name: str, desired: int) -> None:
        """Set the pool's absolute target; the missing runners are created at the autoscaler's next tick.

        A target at or above what the pool has is a floor that holds until it is changed, and lifts the limit where it
        must. A lower one hands the pool back to its autoscaler, which lets idle runners go; busy ones never stop.
        Raises OutOfRangeError.
        """
        pool = self.pools[name]
        if not pool.spec.minimum <= desired <= pool.spec.ceiling:
            bounds = f"{pool.spec.minimum} to {pool.spec.ceiling}"
            raise OutOfRangeError(f"desired {desired} is outside {bounds} for pool {name}")
        if desired != pool.target:
            pool.target = desired if desired >= pool.capacity else None

    def _inject(self, fault: FleetFault) -> None:
        self.faults.append(fault)
        self._at(max(fault.start_seconds, self.now_seconds), partial(self._fault_starts, fault))
        if fault.end_seconds != math.inf:
            self._at(fault.end_seconds, partial(self._fault_ends, fault))

    def _open(self, pool: SimulatedPool, start: float) -> None:
        mean_minutes = sum(s.share * s.median_minutes for s in pool.spec.sources) / sum(
            s.share for s in pool.spec.sources
        )
        usual = math.ceil(pool.spec.arrivals_per_minute * mean_minutes) + pool.spec.spare
        for _ in range(min(pool.spec.limit, max(pool.spec.minimum, usual))):
            pool.add(SimulatedRunner(next(self._numbers), RunnerState.IDLE, start))
        self._at(start, partial(self._minute, pool))
        self._at(start, partial(self._tick, pool))
        for burst in pool.spec.bursts:
            if burst.at_seconds >= start:
                self._at(burst.at_seconds, partial(self._burst, pool, burst.jobs))

    def _at(self, at: float, event: Event) -> None:
        heapq.heappush(self._events, (at, next(self._numbers), event))

    def _fault(self, kind: FleetFaultKind, pool: str) -> FleetFault | None:
        found = (f for f in self.faults if f.kind is kind and f.active(self.now_seconds, pool))
        return next(found, None)

    def _minute(self, pool: SimulatedPool, now: float) -> None:
        dice = self._dice[(pool.spec.name, "arrivals")]
        for _ in range(_poisson(dice, pool.spec.rate_at(now))):
            self._at(now + 60 * dice.random(), partial(self._arrive, pool, self._source(pool)))
        self._at(now + 60, partial(self._minute, pool))

    def _burst(self, pool: SimulatedPool, jobs: int, now: float) -> None:
        for _ in range(jobs):
            self._arrive(pool, self._source(pool), now)

    def _source(self, pool: SimulatedPool) -> Source:
        dice = self._dice[(pool.spec.name, "arrivals")]
        return dice.choices(pool.spec.sources, [s.share for s in pool.spec.sources])[0]

    def _arrive(self, pool: SimulatedPool, source: Source, now: float) -> None:
        seconds = self._dice[(pool.spec.name, "arrivals")].lognormvariate(
            math.log(source.median_minutes * 60), source.spread
        )
        pool.enqueue(SimulatedJob(40_000_000_000 + next(self._numbers), source, now, seconds))
        self._assign(pool, now)

    def _assign(self, pool: SimulatedPool, now: float) -> None:
        if self._fault(FleetFaultKind.PROVIDER_OUTAGE, pool.spec.name):
            return
        while pool.waiting and pool.idle:
            runner = pool.start_next(now)
            if runner.job is not None:
                self._at(
                    now + self._run_seconds(pool, runner, runner.job), partial(self._complete, pool, runner, runner.job)
                )

    def _run_seconds(self, pool: SimulatedPool, runner: SimulatedRunner, job: SimulatedJob) -> float:
        full = self._fault(FleetFaultKind.DISKS_FULL, pool.spec.name)
        if full and runner.full:
            return job.nominal_seconds * full.amount
        for kind in (FleetFaultKind.JOBS_HUNG, FleetFaultKind.JOBS_SLOWER):
            fault = self._fault(kind, pool.spec.name)
            if fault and fault.workflow in ("", job.source.workflow):
                hung = kind is FleetFaultKind.JOBS_HUNG
                return fault.end_seconds - self.now_seconds if hung else job.nominal_seconds * fault.amount
        return job.nominal_seconds

    def _complete(self, pool: SimulatedPool, runner: SimulatedRunner, job: SimulatedJob, now: float) -> None:
        if runner.job is not job:
            return
        pool.end_job(runner, now)
        if pool.spec.ephemeral:
            pool.remove(runner)
        self._assign(pool, now)

    def _tick(self, pool: SimulatedPool, now: float) -> None:
        self._at(now + TICK_SECONDS, partial(self._tick, pool))
        wished = wish(pool, self.limit(pool.spec.name), now)
        for runner in wished.let_go:
            pool.remove(runner)
        for _ in range(wished.at_once + wished.paced):
            if not self._create(pool, now):
                break

    def _create(self, pool: SimulatedPool, now: float) -> bool:
        refused = self._fault(FleetFaultKind.CREATES_REFUSED, pool.spec.name)
        if refused and self._dice[(pool.spec.name, "creates")].random() < refused.amount:
            pool.tally.failures[refused.code] += 1
            return False
        pool.tally.creates += 1
        runner = SimulatedRunner(next(self._numbers), RunnerState.BOOTING, now)
        pool.add(runner)
        boot = pool.spec.boot_seconds * self._dice[(pool.spec.name, "creates")].uniform(0.8, 1.2)
        self._at(now + boot, partial(self._booted, pool, runner))
        return True

    def _booted(self, pool: SimulatedPool, runner: SimulatedRunner, now: float) -> None:
        if runner.state is not RunnerState.BOOTING or runner.id not in pool.runners:
            return
        pool.tally.registrations += 1
        pool.move(runner, RunnerState.IDLE, now)
        self._assign(pool, now)

    def _fault_starts(self, fault: FleetFault, now: float) -> None:
        for name, pool in self.pools.items():
            if fault.kind is FleetFaultKind.HOSTS_OFFLINE and fault.active(now, name):
                for runner in pool.in_state([RunnerState.IDLE, RunnerState.BUSY])[: int(fault.amount)]:
                    pool.end_job(runner, now)
                    pool.move(runner, RunnerState.OFFLINE, now)
            if fault.kind is FleetFaultKind.DISKS_FULL and fault.active(now, name):
                for runner in pool.in_state([RunnerState.IDLE, RunnerState.BUSY])[: fault.machines]:
                    runner.full = True

    def _fault_ends(self, fault: FleetFault, now: float) -> None:
        for name, pool in self.pools.items():
            if fault.kind is FleetFaultKind.HOSTS_OFFLINE and fault.pool in (None, name):
                for runner in pool.in_state([RunnerState.OFFLINE])[: int(fault.amount)]:
                    pool.move(runner, RunnerState.IDLE, now)
            if fault.kind is FleetFaultKind.DISKS_FULL and fault.pool in (None, name):
                for runner in pool.runners.values():
                    runner.full = False
            self._assign(pool, now)


def _poisson(dice: random.Random, mean: float) -> int:
    threshold, product, count = math.exp(-mean), dice.random(), 0
    while product > threshold:
        product *= dice.random()
        count += 1
    return count
