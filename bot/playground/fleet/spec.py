"""The specification of a simulated pool: sources of jobs, arrivals over time, runners, limits."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Source:
    """One kind of job: where it comes from, its share of the pool's arrivals, and how long it runs.

    Durations are lognormal: `median_minutes` in simulated minutes, `spread` the standard deviation of the logarithm.
    """

    repository: str
    workflow: str
    job: str
    share: float
    median_minutes: float
    spread: float = 0.35


@dataclass(frozen=True, slots=True)
class Rate:
    """From `from_seconds` (simulated) on, `per_minute` jobs arrive in each simulated minute, until the next rate."""

    from_seconds: float
    per_minute: float


@dataclass(frozen=True, slots=True)
class Burst:
    """`jobs` that arrive together at `at_seconds` (simulated), as when a large matrix starts."""

    at_seconds: float
    jobs: int


@dataclass(frozen=True, slots=True)
class PoolSpec:
    """A pool as it is configured; all times are simulated.

    `minimum` and `limit` bound the pool's own autoscaler, `ceiling` is the most that the scaler API accepts.
    `spare` idle runners are kept warm. The autoscaler creates at most `creates_per_minute`; a target set through the
    scaler API is created at once. An `ephemeral` runner ends with its job, any other takes the next one. `drained_at`
    is the queue length that counts as empty, `step` the largest sensible addition at once: advice for a configuration.
    """

    name: str
    arrivals_per_minute: float
    sources: tuple[Source, ...]
    minimum: int
    limit: int
    ceiling: int
    boot_seconds: float = 180.0
    idle_timeout_seconds: float = 900.0
    creates_per_minute: float = 6.0
    spare: int = 0
    ephemeral: bool = False
    step: int = 10
    drained_at: int = 3
    rates: tuple[Rate, ...] = ()
    bursts: tuple[Burst, ...] = ()

    def rate_at(self, at_seconds: float) -> float:
        """Return the arrivals per simulated minute at `at_seconds`."""
        current = self.arrivals_per_minute
        for rate in self.rates:
            if rate.from_seconds <= at_seconds:
                current = rate.per_minute
        return current
