"""The state of one simulated pool: waiting jobs, runners, counters."""

from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from bot.playground.fleet.spec import PoolSpec, Source

WEB = "https://ci.example"
RATE_WINDOW_SECONDS = 600.0
DURATION_WINDOW_SECONDS = 3600.0


class RunnerState(StrEnum):
    """A runner's state, in the words of the exported `state` label."""

    BOOTING = "booting"
    IDLE = "idle"
    BUSY = "busy"
    OFFLINE = "offline"
    FAILED = "failed"


@dataclass(slots=True)
class SimulatedJob:
    """One job."""

    id: int
    source: Source
    queued_at: float
    nominal_seconds: float
    started_at: float | None = None

    @property
    def url(self) -> str:
        """Return the address under which the CI would show the job."""
        return f"{WEB}/{self.source.repository}/actions/runs/{self.id // 7}/job/{self.id}"


@dataclass(slots=True)
class SimulatedRunner:
    """One runner, how long it has been in its state, and the job it has."""

    id: int
    state: RunnerState
    since_seconds: float
    job: SimulatedJob | None = None
    full: bool = False
    """Whether its machine's disk is full."""


@dataclass(slots=True)
class PoolCounters:
    """All counters of a pool since the start, and the recent past for rates."""

    arrived: Counter[tuple[str, str]] = field(default_factory=Counter)
    started: int = 0
    completed: int = 0
    creates: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    registrations: int = 0
    arrivals_at: deque[float] = field(default_factory=deque)
    starts_at: deque[float] = field(default_factory=deque)
    completions_at: deque[float] = field(default_factory=deque)
    durations: deque[tuple[float, float, Source]] = field(default_factory=deque)
    """(end, seconds, source) of the jobs of the last hour."""

    def forget(self, now: float) -> None:
        """Drop data too old for rates and quantiles."""
        for times in (self.arrivals_at, self.starts_at, self.completions_at):
            while times and times[0] <= now - RATE_WINDOW_SECONDS:
                times.popleft()
        while self.durations and self.durations[0][0] <= now - DURATION_WINDOW_SECONDS:
            self.durations.popleft()


class SimulatedPool:
    """A pool between two events; every change of a runner's state goes through `move`."""

    def __init__(self, spec: PoolSpec) -> None:
        self.spec = spec
        self.waiting: deque[SimulatedJob] = deque()
        self.runners: dict[int, SimulatedRunner] = {}
        self.idle: dict[int, SimulatedRunner] = {}
        self.states: Counter[RunnerState] = Counter()
        self.target: int | None = None
        self.tally = PoolCounters()
        self.create_allowance = 0.0

    def count(self, state: RunnerState) -> int:
        """Return how many runners are in this state."""
        return self.states[state]

    @property
    def capacity(self) -> int:
        """Return the runners that do or will soon do work: booting, idle and busy."""
        return self.count(RunnerState.BOOTING) + self.count(RunnerState.IDLE) + self.count(RunnerState.BUSY)

    @property
    def floor(self) -> int:
        """Return the capacity below which the pool is filled up: its minimum, or the target set from outside."""
        return max(self.spec.minimum, self.target or 0)

    def enqueue(self, job: SimulatedJob) -> None:
        """Queue a job."""
        self.waiting.append(job)
        self.tally.arrived[(job.source.repository, job.source.workflow)] += 1
        self.tally.arrivals_at.append(job.queued_at)

    def start_next(self, now: float) -> SimulatedRunner:
        """Give the job that waits longest to the runner that has been idle longest; both must exist."""
        runner = next(iter(self.idle.values()))
        job = self.waiting.popleft()
        job.started_at = now
        runner.job = job
        self.move(runner, RunnerState.BUSY, now)
        self.tally.started += 1
        self.tally.starts_at.append(now)
        return runner

    def end_job(self, runner: SimulatedRunner, now: float) -> None:
        """Complete the runner's job and leave the runner idle."""
        if runner.job is not None and runner.job.started_at is not None:
            self.tally.completed += 1
            self.tally.completions_at.append(now)
            self.tally.durations.append((now, now - runner.job.started_at, runner.job.source))
        runner.job = None
        self.move(runner, RunnerState.IDLE, now)

    def add(self, runner: SimulatedRunner) -> None:
        """Add a runner."""
        self.runners[runner.id] = runner
        self.states[runner.state] += 1
        if runner.state is RunnerState.IDLE:
            self.idle[runner.id] = runner

    def remove(self, runner: SimulatedRunner) -> None:
        """Remove a runner."""
        del self.runners[runner.id]
        self.idle.pop(runner.id, None)
        self.states[runner.state] -= 1

    def move(self, runner: SimulatedRunner, state: RunnerState, now: float) -> None:
        """Change a runner's state."""
        self.states[runner.state] -= 1
        self.states[state] += 1
        self.idle.pop(runner.id, None)
        runner.state = state
        runner.since_seconds = now
        if state is RunnerState.IDLE:
            self.idle[runner.id] = runner

    @property
    def full_machines(self) -> int:
        """Return how many machines have a full disk."""
        return sum(runner.full for runner in self.runners.values())

    def in_state(self, states: Iterable[RunnerState]) -> list[SimulatedRunner]:
        """Return the runners in these states, first state first, oldest runner first."""
        return [runner for state in states for runner in self.runners.values() if runner.state is state]
