"""A runner pool: samples over time; unknown is not zero."""

from dataclasses import dataclass, field, replace

from bot.core.kinds.paces import EndedJob, JobGroup, KindPace, RunningJob
from bot.core.pool.early_warning import WarningHistory
from bot.core.pool.hour_stats import DayStats, ExpectedHour, Fired, HourStats
from bot.core.pool.outlook import UNBOUND, Calibration, Forecast, Reach, Score
from bot.core.pool.retention import Origin, PoolSource, kept
from bot.core.pool.steady_forecast import SteadyForecast
from bot.core.signals.signal import Signal, slim

NORMAL_WAIT_SECONDS = 300.0
"""Normal even where machines boot faster. Origin: PyTorch's metrics (docs/design/diagnosis.md#definitions)."""
FULL_WITHIN = 0.02
"""Share of the limit by which queue and busy runners of one scrape may miss it. Origin: judgement."""


@dataclass(frozen=True, slots=True)
class Job:
    """A waiting job for display."""

    name: str
    waited_seconds: float
    repository: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True)
class Tally:
    """A named count: an error code and its failures, a source and its jobs."""

    name: str
    number: float


@dataclass(frozen=True, slots=True)
class Gap:
    figure: str
    """Name of the `Snapshot` field; `label`, `rates`, `runners` or `webhooks` where more than one figure is meant."""
    why: str = ""
    """In the words of the source."""
    remedy: str = ""

    @property
    def words(self) -> str:
        """Why, and what to do about it."""
        return "; ".join(part for part in (self.why, self.remedy) if part)


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Sources that give clearly different values for one figure."""

    figure: str
    values: tuple[Tally, ...]
    """The value of each source by its name; the first one is used."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A pool at one instant; every figure is None when unknown, which is not zero."""

    pool: str
    at: float
    """Epoch seconds at which the source measured."""
    queued: int | None = None
    oldest_wait_seconds: float | None = None
    """Wait of the oldest job that still waits."""
    busy: int | None = None
    idle: int | None = None
    offline: int | None = None
    limit: int | None = None
    booting: int | None = None
    """Created, not yet registered."""
    arrivals_per_minute: float | None = None
    starts_per_minute: float | None = None
    completions_per_minute: float | None = None
    rate_seconds: float | None = None
    """The time over which the source averages these three."""
    duration_p50_seconds: float | None = None
    create_failures: int | None = None
    """Runners whose launch failed in the last 15 minutes, once for each attempt; a machine counts for all on it."""
    create_failures_by_code: tuple[Tally, ...] = ()
    """The same by error code; empty if none or unknown."""
    failures_by_mark: tuple[Tally, ...] = ()
    """Runners that failed, by what they have in common: zone, node or image, as far as it may differ; of the newest
    sample."""
    creates: int | None = None
    registered: int | None = None
    """Runners whose machines were created, and runners that registered, in the last 15 minutes."""
    failed: int | None = None
    """Runners that never registered; many autoscalers count them toward the limit."""
    machines: int | None = None
    """Machines in service according to the cloud, whether or not their runners are online; `PoolRules` says how many
    share one."""
    requests: int | None = None
    oldest_request_seconds: float | None = None
    """Launch requests that wait in the autoscaler's own queue, and the age of the oldest of them."""
    dead_requests: int | None = None
    """Launch requests that the autoscaler has given up."""
    scales_on: str | None = None
    """The metric whose alarm changed the number of machines last."""
    running_jobs: int | None = None
    """Jobs that run, by who counts jobs: `busy` counts runners."""
    reruns: int | None = None
    failed_jobs: int | None = None
    """Jobs of the last 15 minutes that run once more, and that failed."""
    running_longest_seconds: float | None = None
    provider_up: bool | None = None
    """Whether the CI provider reports that it assigns jobs."""
    api_remaining: int | None = None
    """Remaining API calls of this hour at the CI provider."""
    unservable: int | None = None
    """Queued jobs that no runner of the pool may take: missing label, concurrency limit, approval."""
    ghosts: int | None = None
    """Rows that only look queued (cancelled runs and the like); excluded from `queued`."""
    arrivals_by_source: tuple[Tally, ...] = ()
    """Jobs of the last 15 minutes by source, `repository / workflow`; these two of the newest sample only."""
    usual_by_source: tuple[Tally, ...] = ()
    """The same over the usual past, of any length: only the shares count."""
    usual_arrivals_per_minute: float | None = None
    usual_duration_seconds: float | None = None
    waiting: tuple[Job, ...] = ()
    """The longest waiting jobs, longest first; like the fields below kept for the newest sample only."""
    kinds: tuple[KindPace, ...] = ()
    """How long the kinds take that hold most runners."""
    overtaken: tuple[JobGroup, ...] = ()
    """Groups of jobs that all wait long while newer ones start."""
    composition: tuple[JobGroup, ...] = ()
    running: tuple[RunningJob, ...] = ()
    """The largest groups of waiting jobs, and the longest running ones; with the rest in a record of their own."""
    ended: tuple[EndedJob, ...] = ()
    """Jobs that ended in the last 15 minutes, for what is usual for their kind; stored nowhere."""
    signals: tuple[Signal, ...] = ()
    """Of machines and services; older samples keep their numbers."""
    source: str = ""
    """Whose queue or wait this is: its configured name; figures of another source are not compared with it."""
    missing: tuple[Gap, ...] = ()
    """Requested figures that are unknown, each with its reason."""
    origins: tuple[Origin, ...] = ()
    """Sources and ages, where they differ between figures."""
    contradictions: tuple[Contradiction, ...] = ()

    @property
    def online(self) -> int | None:
        """Busy plus idle runners; None unless both are known."""
        return None if self.busy is None or self.idle is None else self.busy + self.idle

    @property
    def unlabelled(self) -> bool:
        """Whether its source lists no runner with the pool's label, and no other source knows its runners."""
        return self.online is None and any(gap.figure == "label" for gap in self.missing)

    @property
    def utilisation(self) -> float | None:
        """Busy share of the online runners, 0 to 1; None if unknown or without online runners."""
        return self.busy / self.online if self.online and self.busy is not None else None


@dataclass(frozen=True, slots=True)
class Pool:
    """A pool's record: recent samples, oldest first, and the reason of a failed measurement."""

    id: str
    samples: tuple[Snapshot, ...] = ()
    trouble: str | None = None
    """Why the last measurement failed; None if it succeeded."""
    tried_at: float = 0.0
    usual_age: float = 0.0
    """How old its figures get before newer ones come (seconds)."""
    sources: tuple[PoolSource, ...] = ()
    """What its sources' answers have shown of each."""
    outlook: Forecast | None = None
    """The forecast of the newest sample; None without a queue."""
    steady: SteadyForecast | None = None
    """The steady one that messages show."""
    forecasts: tuple[Forecast, ...] = ()
    scores: tuple[Score, ...] = ()
    """Unscored forecasts, and the scores of past ones, oldest first."""
    calibration: Calibration | None = None
    """Of its forecasts, from its own scores and from those of all pools; None before its first incident."""
    hour: HourStats | None = None
    """The current hour; when it is over it joins the pool's history."""
    ahead: tuple[ExpectedHour, ...] = ()
    """Expectations for this and the next hours; empty with fewer than two past weeks."""
    fired: tuple[Fired, ...] = ()
    """Its figures when alerts fired, oldest first."""
    watchers: tuple[str, ...] = ()
    """The open incidents with this pool, at the last measurement."""
    day: DayStats | None = None
    early: WarningHistory = field(default_factory=WarningHistory)
    reach: Reach = UNBOUND

    @property
    def latest(self) -> Snapshot | None:
        """The newest sample, of any age."""
        return self.samples[-1] if self.samples else None

    @property
    def shown_forecast(self) -> Forecast | None:
        """The forecast that messages show."""
        return self.steady.forecast if self.steady else self.outlook


@dataclass(frozen=True, slots=True)
class PoolRules:
    name: str
    match: dict[str, str] = field(default_factory=dict)
    """Labels of alerts about this pool; empty: any alert."""
    floor: int = 0
    """A queue this short counts as empty."""
    boot_time_seconds: float = 180.0
    """How long a new runner takes to start. Origin: judgement; a virtual machine, where nobody says."""
    scalable: bool = False
    warn_wait_seconds: float | None = None
    warn_queued: int | None = None
    """Thresholds of the early warning, for the longest wait and for queued jobs; None: learnt."""
    runners_per_machine: int = 1
    status_url: str = ""  # of the CI provider, for people
    counts_assigned: bool = False
    """Whether its source counts only jobs that its runners may get, so that at the limit more may wait."""

    @property
    def normal_wait_seconds(self) -> float:
        """The longest wait that is normal: a job may have to wait for its own machine."""
        return max(NORMAL_WAIT_SECONDS, 1.5 * self.boot_time_seconds)  # origin: judgement; boots vary by half


def slimmed(sample: Snapshot) -> Snapshot:
    """A sample that is not the newest any more: what only the newest one tells is left out."""
    bare = replace(sample, waiting=(), kinds=(), overtaken=(), missing=(), origins=(), contradictions=())
    return replace(bare, arrivals_by_source=(), usual_by_source=(), failures_by_mark=(), signals=slim(sample.signals))


def measured(pool: Pool, snapshot: Snapshot, now: float) -> Pool:
    """The record with one more sample; a sample that is not newer changes nothing."""
    if pool.latest and snapshot.at <= pool.latest.at:
        return replace(pool, trouble=None, tried_at=now)
    samples = (*pool.samples[:-1], *map(slimmed, pool.samples[-1:]), snapshot)
    return replace(pool, samples=kept(samples), trouble=None, tried_at=now)


def unreadable(pool: Pool, why: str, now: float) -> Pool:
    """The record after a failed measurement: samples stay, and the reason is kept."""
    return replace(pool, trouble=why, tried_at=now)


def stale(pool: Pool, now: float, poll_seconds: float) -> bool:
    """Whether the newest sample is two polls older than is usual (docs/design/diagnosis.md#definitions)."""
    return pool.latest is None or abs(now - pool.latest.at) > patience(pool, poll_seconds)


def patience(pool: Pool, poll_seconds: float) -> float:
    """How old a fresh sample may be (seconds)."""
    return pool.usual_age + 2 * poll_seconds + 1


def fresh(pool: Pool | None, now: float, poll_seconds: float) -> Snapshot | None:
    """The newest sample unless it is stale: a figure of the past is not one of now."""
    return None if pool is None or stale(pool, now, poll_seconds) else pool.latest


def empty(snapshot: Snapshot | None, floor: int) -> bool | None:
    """Whether the queue is at or under its floor; None if unknown."""
    return None if snapshot is None or snapshot.queued is None else snapshot.queued <= floor


def cut_off(sample: Snapshot, rules: PoolRules) -> bool:
    """Whether more jobs may wait than are counted: the pool is full, and its source gets no jobs beyond the limit."""
    if not rules.counts_assigned or sample.oldest_wait_seconds is not None:
        return False
    if sample.queued is None or sample.busy is None or sample.limit is None:
        return False
    return abs(sample.queued + sample.busy - sample.limit) <= max(1, FULL_WITHIN * sample.limit)


def drained(snapshot: Snapshot | None, rules: PoolRules) -> bool | None:
    """Whether the queue is at its floor, or waits are normal: with a machine for each job it is never empty.

    None if unknown, or if more jobs may wait than are counted.
    """
    short, wait = empty(snapshot, rules.floor), snapshot.oldest_wait_seconds if snapshot else None
    if short and snapshot and cut_off(snapshot, rules):
        return None
    return short if short is not False else wait is not None and wait <= rules.normal_wait_seconds
