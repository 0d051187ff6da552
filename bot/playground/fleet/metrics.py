"""The metrics the simulated fleet exports to Prometheus.

All times, including the ages of jobs and the timestamps of samples, are those of the simulated clock.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from bot.playground.fleet.api.listed_jobs import KindStats, ListedJob, kinds, longest_running, longest_waiting, waits
from bot.playground.fleet.figures import PoolFigures, read
from bot.playground.fleet.simulation import SimulatedFleet

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
Labels = tuple[tuple[str, str], ...]

FAMILIES = {
    "ci_jobs_queued": ("gauge", "Jobs that wait for a runner."),
    "ci_job_oldest_wait_seconds": ("gauge", "Wait of the oldest waiting job, seconds; 0 when none waits."),
    "ci_runners": ("gauge", "Runners by state."),
    "ci_runners_limit": ("gauge", "The most runners the pool may have."),
    "ci_machines_short": ("gauge", "Machines that are short of a resource."),
    "ci_jobs_arrived_total": ("counter", "Jobs queued since the simulation began."),
    "ci_jobs_arrivals_per_minute": ("gauge", "Jobs queued per minute, over the last 10 minutes."),
    "ci_jobs_starts_per_minute": ("gauge", "Jobs started per minute, over the last 10 minutes."),
    "ci_jobs_completions_per_minute": ("gauge", "Jobs ended per minute, over the last 10 minutes."),
    "ci_job_duration_seconds": ("gauge", "Median of the jobs ended in the last hour, seconds."),
    "ci_job_running_seconds": ("gauge", "How long the longest running job has run, seconds."),
    "ci_runner_creates_total": ("counter", "Machines that the cloud gave."),
    "ci_runner_create_failures_total": ("counter", "Creates that the cloud refused, by error code."),
    "ci_runner_registrations_total": ("counter", "Created machines whose runner registered."),
    "ci_job_wait_seconds": ("gauge", "The 10 longest waiting jobs of each pool, seconds."),
    "ci_job_runs_seconds": ("gauge", "The 10 longest running jobs of each pool, seconds."),
    "ci_job_kinds": ("gauge", "By kind of job: median seconds now and usually, and how many run, by stat."),
    "ci_job_waits": ("gauge", "By kind of job: how many wait, and the longest, median and shortest wait, by stat."),
    "ci_provider_up": ("gauge", "1 when the CI provider assigns jobs to runners."),
}  # fmt: skip
USUAL_CODES = ("InsufficientInstanceCapacity", "RequestLimitExceeded", "VolumeLimitExceeded")
"""Exported as 0 from the start, as good exporters do; an absent counter says nothing."""


@dataclass(frozen=True, slots=True)
class ExposedSample:
    """One exported value; the labels are sorted by name."""

    name: str
    labels: Labels
    value: float


def samples(fleet: SimulatedFleet) -> list[ExposedSample]:
    """Return everything that the fleet exports now, family by family."""
    found = [ExposedSample("ci_provider_up", (), float(fleet.provider_up))]
    for name in fleet.pools:
        found += _gauges(read(fleet, name))
        found.append(_short_of_disk(fleet, name))
        found += job_samples(fleet, name)
        found += _counters(fleet, name)
    order = {family: place for place, family in enumerate(FAMILIES)}
    return sorted(found, key=lambda s: order[s.name])


def job_samples(fleet: SimulatedFleet, name: str) -> Iterator[ExposedSample]:
    """Return what is exported of a pool's single jobs and kinds of jobs."""
    yield from _listed("ci_job_wait_seconds", name, longest_waiting(fleet, name))
    yield from _listed("ci_job_runs_seconds", name, longest_running(fleet, name))
    yield from _by_kind("ci_job_kinds", name, kinds(fleet, name))
    yield from _by_kind("ci_job_waits", name, waits(fleet, name))


def exposition(found: list[ExposedSample]) -> str:
    """Return samples in Prometheus' text format; samples of a family must be neighbours."""
    lines: list[str] = []
    family = ""
    for sample in found:
        if sample.name != family:
            family = sample.name
            kind, text = FAMILIES[family]
            lines += [f"# HELP {family} {text}", f"# TYPE {family} {kind}"]
        labels = ",".join(f'{name}="{_escaped(value)}"' for name, value in sample.labels)
        lines.append(f"{sample.name}{{{labels}}} {sample.value!r}" if labels else f"{sample.name} {sample.value!r}")
    return "\n".join(lines) + "\n"


def _gauges(figures: PoolFigures) -> Iterator[ExposedSample]:
    pool = ("pool", figures.pool)
    plain = {
        "ci_jobs_queued": figures.queued,
        "ci_job_oldest_wait_seconds": figures.oldest_wait_seconds,
        "ci_runners_limit": figures.limit,
        "ci_jobs_arrivals_per_minute": figures.arrivals_per_minute,
        "ci_jobs_starts_per_minute": figures.starts_per_minute,
        "ci_jobs_completions_per_minute": figures.completions_per_minute,
        "ci_job_running_seconds": figures.running_seconds,
    }
    for name, value in plain.items():
        yield ExposedSample(name, (pool,), float(value))
    states = {
        "booting": figures.booting, "busy": figures.busy, "failed": figures.failed, "idle": figures.idle,
        "offline": figures.offline,
    }  # fmt: skip
    for state, count in states.items():
        yield ExposedSample("ci_runners", (pool, ("state", state)), float(count))
    if figures.duration_p50_seconds is not None:
        yield ExposedSample("ci_job_duration_seconds", (pool, ("quantile", "0.5")), figures.duration_p50_seconds)


def _short_of_disk(fleet: SimulatedFleet, name: str) -> ExposedSample:
    full: int = fleet.pools[name].full_machines
    return ExposedSample("ci_machines_short", (("pool", name), ("resource", "disk")), float(full))


def _listed(family: str, pool: str, jobs: tuple[ListedJob, ...]) -> Iterator[ExposedSample]:
    for one in jobs:
        labels = (
            ("job", one.job), ("pool", pool), ("repository", one.repository), ("url", one.url),
            ("workflow", one.workflow),
        )  # fmt: skip
        yield ExposedSample(family, labels, one.seconds)


def _by_kind(family: str, pool: str, found: KindStats) -> Iterator[ExposedSample]:
    for source, stats in found:
        for stat, value in stats.items():
            labels = (
                ("job", source.job), ("pool", pool), ("repository", source.repository), ("stat", stat),
                ("workflow", source.workflow),
            )  # fmt: skip
            yield ExposedSample(family, labels, value)


def _counters(fleet: SimulatedFleet, name: str) -> Iterator[ExposedSample]:
    tally = fleet.pools[name].tally
    pool = ("pool", name)
    for (repository, workflow), count in sorted(tally.arrived.items()):
        labels = (pool, ("repository", repository), ("workflow", workflow))
        yield ExposedSample("ci_jobs_arrived_total", labels, float(count))
    yield ExposedSample("ci_runner_creates_total", (pool,), float(tally.creates))
    yield ExposedSample("ci_runner_registrations_total", (pool,), float(tally.registrations))
    for code in sorted({*USUAL_CODES, *tally.failures}):
        yield ExposedSample("ci_runner_create_failures_total", (("code", code), pool), float(tally.failures[code]))


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace("\n", r"\n").replace('"', r"\"")
