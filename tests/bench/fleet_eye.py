"""Sees the simulated fleet as its metrics source would show it, one snapshot a simulated minute, without HTTP."""

from bisect import insort
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from bot.adapters.prometheus.answers import PrometheusSample, Samples
from bot.adapters.prometheus.jobs import composition, kinds, running
from bot.core.pool.pool import Snapshot, Tally
from bot.core.signals.signal import Signal, SignalKind
from bot.playground.fleet.faults import FleetFaultKind
from bot.playground.fleet.figures import read
from bot.playground.fleet.metrics import ExposedSample, job_samples
from bot.playground.fleet.simulation import SimulatedFleet

WINDOW_SECONDS, LATELY_SECONDS = 900.0, 7200.0
KEPT = 240
SHOWN = ("queued", "oldest_wait_seconds", "busy", "idle", "offline", "limit", "booting", "failed",
         "arrivals_per_minute", "starts_per_minute", "completions_per_minute", "duration_p50_seconds")  # fmt: skip
"""The figures that the metrics source shows as they are."""


JOBS: dict[str, tuple[str, Callable[[Samples], tuple[object, ...]]]] = {
    "kinds": ("ci_job_kinds", kinds),
    "running": ("ci_job_runs_seconds", running),
    "composition": ("ci_job_waits", composition),
}
"""Figure → its metric, and how the metrics source reads it."""


@dataclass
class Eye:
    """Looks at one pool; remembers what counters and averages over time need."""

    fleet: SimulatedFleet
    name: str
    series: deque[Snapshot] = field(default_factory=lambda: deque(maxlen=KEPT))
    _counts: deque[tuple[float, dict[str, dict[str, int]]]] = field(default_factory=deque)
    _arrivals: deque[tuple[float, dict[str, int]]] = field(default_factory=deque)
    _rates: list[float] = field(default_factory=list)
    _durations: list[float] = field(default_factory=list)

    def look(self) -> Snapshot:
        """Take one sample now."""
        now, figures = self.fleet.now_seconds, read(self.fleet, self.name)
        tally = self.fleet.pools[self.name].tally
        arrived = {f"{repository} / {workflow}": n for (repository, workflow), n in tally.arrived.items()}
        counts = self._grown(now, arrived)
        insort(self._rates, figures.arrivals_per_minute)
        if figures.duration_p50_seconds is not None:
            insort(self._durations, figures.duration_p50_seconds)
        exposed = list(job_samples(self.fleet, self.name))
        known: dict[str, object] = {
            **{name: getattr(figures, name) for name in SHOWN},
            "running_longest_seconds": figures.running_seconds,
            "create_failures": sum(counts["failures"].values()),
            "create_failures_by_code": _counted(counts["failures"]),
            "creates": counts["plain"].get("creates", 0),
            "registered": counts["plain"].get("registrations", 0),
            "provider_up": self.fleet.provider_up,
            "arrivals_by_source": _counted(counts["arrived"]),
            "usual_by_source": _counted(self._earlier(now, arrived)),
            "usual_arrivals_per_minute": self._rates[len(self._rates) // 2],
            **{name: _of_jobs(exposed, family, read_jobs) for name, (family, read_jobs) in JOBS.items()},
            "usual_duration_seconds": self._durations[len(self._durations) // 2] if self._durations else None,
        }
        if any(fault.kind is FleetFaultKind.DISKS_FULL for fault in self.fleet.faults):
            full = float(self.fleet.pools[self.name].full_machines)
            known["signals"] = (Signal("disk", SignalKind.DISK, full, says="have no disk space left", source="fleet"),)
        sample = Snapshot(self.name, now, **known)  # type: ignore[arg-type]  # names are checked by it
        self.series.append(sample)
        return sample

    def _earlier(self, now: float, arrived: dict[str, int]) -> dict[str, int]:
        self._arrivals.append((now, arrived))
        while len(self._arrivals) > 1 and self._arrivals[1][0] <= now - LATELY_SECONDS:
            self._arrivals.popleft()
        return self._arrivals[0][1]

    def _grown(self, now: float, arrived: dict[str, int]) -> dict[str, dict[str, int]]:
        tally = self.fleet.pools[self.name].tally
        plain = {"creates": tally.creates, "registrations": tally.registrations}
        present = {"failures": dict(tally.failures), "arrived": arrived, "plain": plain}
        self._counts.append((now, present))
        while len(self._counts) > 1 and self._counts[1][0] <= now - WINDOW_SECONDS:
            self._counts.popleft()
        past = self._counts[0][1]
        return {name: _more(counts, past[name]) for name, counts in present.items()}


def _of_jobs(
    exposed: list[ExposedSample], family: str, read_jobs: Callable[[Samples], tuple[object, ...]]
) -> tuple[object, ...]:
    """A figure of single jobs as the metrics source reads it."""
    return read_jobs(tuple(PrometheusSample(dict(one.labels), 0.0, one.value) for one in exposed if one.name == family))


def _more(counts: dict[str, int], before: dict[str, int]) -> dict[str, int]:
    return {name: number - before.get(name, 0) for name, number in counts.items() if number > before.get(name, 0)}


def _counted(counts: dict[str, int]) -> tuple[Tally, ...]:
    return tuple(Tally(name, counts[name]) for name in sorted(counts, key=lambda name: -counts[name]))
