"""Facts to diagnose: an ordinary busy pool, and what is different in each trouble."""

from dataclasses import replace
from typing import Any

from bot.core.finding import Facts, Finding, FleetContext
from bot.core.pool.pool import PoolRules, Snapshot, Tally
from bot.core.signals.signal import Counts, Signal, SignalKind
from bot.diagnosis.rank import diagnosed

AT = 1_800_000_000.0
POOL = "linux.2xlarge"
SOURCES = (Tally("example/torch / pull", 20), Tally("example/torch / trunk", 10))
PLAIN: dict[str, Any] = {
    "queued": 30, "oldest_wait_seconds": 2400.0, "busy": 20, "idle": 0, "offline": 0, "booting": 8, "failed": 0,
    "limit": 40, "arrivals_per_minute": 2.0, "starts_per_minute": 2.0, "completions_per_minute": 2.0,
    "duration_p50_seconds": 540.0, "running_longest_seconds": 1200.0, "creates": 40, "registered": 40,
    "create_failures": 0, "provider_up": True, "api_remaining": 4000, "arrivals_by_source": SOURCES,
    "usual_by_source": SOURCES, "usual_arrivals_per_minute": 2.0, "usual_duration_seconds": 540.0,
}  # fmt: skip
"""A pool that queues although every figure is as usual: no rule may fit."""
HUNG: dict[str, Any] = {
    "starts_per_minute": 0.3, "completions_per_minute": 0.3, "running_longest_seconds": 12_000.0,
}  # fmt: skip
"""20 runners are busy for an hour, hardly a job ends, and those that end took as long as ever."""
LONGER: dict[str, Any] = {
    "starts_per_minute": 0.45, "completions_per_minute": 0.45, "duration_p50_seconds": 1600.0,
}  # fmt: skip
"""All jobs take three times as long, and end."""


def facts(fleet: FleetContext | None = None, pool: str = POOL, samples: int = 60, **changes: Any) -> Facts:
    """An hour of samples of the plain pool, one a minute, with these figures changed throughout."""
    figures = {**PLAIN, **changes}
    series = tuple(Snapshot(pool, AT - 60 * ago, **figures) for ago in range(samples - 1, -1, -1))
    here = fleet or FleetContext((pool, "other.a", "other.b"), (pool,), provider_up=figures["provider_up"])
    return Facts(PoolRules(pool, boot_time_seconds=180.0), series, here)


def lately(found: Facts, minutes: int = 20, **changes: Any) -> Facts:
    """The same with other figures in the last minutes."""
    at = found.now.at
    series = tuple(replace(s, **changes) if at - s.at < 60 * minutes else s for s in found.series)
    return replace(found, series=series)


def top_of(found: Facts) -> Finding:
    """The likeliest cause, where one is found."""
    top = diagnosed(found).top
    assert top is not None
    return top


def losing(registered: int) -> Facts:
    """A pool whose jobs have waited for three hours, and so many of 20 machines register."""
    found = facts(samples=180, queued=200, creates=20, registered=registered)
    began = found.series[0].at
    return replace(found, series=tuple(replace(s, oldest_wait_seconds=s.at - began) for s in found.series))


def slow_autoscaler() -> Facts:
    """A machine for each job, launched as fast as ever and a little faster, while 150 jobs of one merge wait."""
    calm = facts(samples=180, queued=0, oldest_wait_seconds=0.0, idle=2, booting=6, creates=30, registered=30, limit=90)
    found = lately(calm, 40, queued=150, idle=0, booting=8, creates=40, registered=40)
    began = AT - 2400
    series = tuple(replace(s, oldest_wait_seconds=max(0.0, s.at - began)) for s in found.series)
    return replace(found, series=series)


SLOWER: dict[str, Any] = {"starts_per_minute": 0.8, "completions_per_minute": 0.8}
"""20 runners are busy, and jobs end at half of the usual pace."""
SAYS = "have less than 5 % of disk free"


def machines(kind: SignalKind, bad: float | None, of: int | None = 20, **more: Any) -> tuple[Signal, ...]:
    """So many machines in trouble."""
    return (Signal(kind.value, kind, bad, of, says=SAYS, source="prometheus", at=AT, **more),)


def service(seconds: float | None, lasts: float = 300.0) -> tuple[Signal, ...]:
    """How long a pull takes; more than a minute is trouble."""
    kind, counts = SignalKind.SERVICE, Counts.VALUE
    return (Signal("registry", kind, seconds, counts=counts, above=60.0, for_seconds=lasts, source="prometheus"),)


def troubled(minutes: int = 45, well: dict[str, Any] | None = None, **changes: Any) -> Facts:
    """Two hours without a queue, and since so many minutes a growing one at a full pool, with these changes."""
    quiet = {"queued": 0, "oldest_wait_seconds": 0.0, "limit": 28, **(well or {})}
    found = lately(facts(samples=165 + minutes, **quiet), minutes, queued=30, limit=28, **changes)
    began = AT - 60 * minutes
    waits = (max(0.0, s.at - began) for s in found.series)
    return replace(
        found, series=tuple(replace(s, oldest_wait_seconds=wait) for s, wait in zip(found.series, waits, strict=True))
    )


def became(kind: SignalKind, bad: float, before: float = 0, minutes: int = 45, **changes: Any) -> Facts:
    """Machines that were well, or as many of them short as `before`, until so many minutes ago."""
    return troubled(minutes, {"signals": machines(kind, before)}, signals=machines(kind, bad), **{**SLOWER, **changes})


def became_slow(minutes: int = 45, **changes: Any) -> Facts:
    """A registry that was quick until so many minutes ago."""
    return troubled(minutes, {"signals": service(4.0)}, signals=service(82.0), **SLOWER, **changes)
