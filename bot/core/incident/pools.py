"""The pools of an incident: candidates, affected pools and measurements; and which of them have an alert's two maxima.

The maxima of an alert that names no pool may belong to two different pools (docs/design/diagnosis.md#two-maxima). A
pool matches if its own figure is near the alert's. A maximum that no pool matches is left open.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from bot.core.incident.details.seen_before import SeenBefore
from bot.core.incident.held_cause import HeldCause
from bot.core.incident.queue_series import QueueSeries
from bot.core.known import most
from bot.core.pool.outlook import Score
from bot.core.pool.pool import Snapshot
from bot.core.ranking.readings import Readings
from bot.core.ranking.worst_first import worst_first
from bot.core.routing import Named

PERIODS = 2.0
"""Poll periods in which a better match may replace the first one."""
MOST_PERIODS = 10.0
"""The search waits no longer than this many poll periods for pools that nobody could measure since it began."""
WAIT_SHARE, WAIT_SECONDS = 0.2, 600.0
"""Largest difference between a pool's longest wait and the alert's: a share, or at least these seconds."""
QUEUE_SHARE, QUEUE_JOBS = 0.25, 3.0
"""The same for the queue; sources count differently (PyTorch's only jobs that wait for over 5 minutes)."""
LEAST_WAIT_SECONDS = 300.0
"""A longest wait that has doubled, but by less than this, is no news."""


@dataclass(frozen=True, slots=True)
class Maxima:
    """The result for one pair of reported figures."""

    jobs: float | None
    minutes: float | None
    """The alert's figures; another alert's are searched anew."""
    at: float
    """Start of the search (epoch seconds)."""
    longest_queue: str | None = None
    longest_wait: str | None = None
    complete: bool = False
    """Whether the search has ended.

    It ends when every pool's figures are known, and unmatched maxima were compared with samples no older than the
    search, so that "none matches" is reliable. After two periods a measurement without figures counts as well.
    """

    def of(self, read: Readings) -> bool:
        """Whether this result is for these figures."""
        return (self.jobs, self.minutes) == (read.most_queued_jobs, read.longest_wait_minutes)


@dataclass(frozen=True, slots=True)
class PoolsNow:
    """The pools' fresh figures now; `at` in epoch seconds."""

    samples: Sequence[Snapshot]
    pools: int
    at: float
    poll_seconds: float


def correlated(known: Maxima | None, read: Readings, pools: PoolsNow) -> Maxima | None:
    """The matching pools; a result stays once the search has ended (`Maxima.complete`), or after MOST_PERIODS periods.

    None if the alert reports neither maximum.
    """
    if read.most_queued_jobs is None and read.longest_wait_minutes is None:
        return None
    mine = known if known is not None and known.of(read) else None
    patience = PERIODS * pools.poll_seconds
    if mine is not None and (mine.complete or pools.at - mine.at > MOST_PERIODS * pools.poll_seconds):
        return mine
    fresh = pools.samples
    since = mine.at if mine else pools.at
    queues = {one.pool: one.queued for one in fresh if one.queued is not None}
    waits = {one.pool: one.oldest_wait_seconds for one in fresh if one.oldest_wait_seconds is not None}
    queue = _nearest(queues, read.most_queued_jobs, QUEUE_SHARE, QUEUE_JOBS)
    wait = _nearest(waits, 60 * (read.longest_wait_minutes or 0.0), WAIT_SHARE, WAIT_SECONDS)
    everyone = len(fresh) == pools.pools
    all_known = everyone and len(queues) == len(waits) == pools.pools
    both_fit = None not in (queue, wait)
    measured_since = everyone and all(one.at >= since for one in fresh)
    return Maxima(
        jobs=read.most_queued_jobs,
        minutes=read.longest_wait_minutes,
        at=since,
        longest_queue=queue,
        longest_wait=wait,
        complete=(all_known and both_fit) or (measured_since and (all_known or pools.at - since > patience)),
    )


def _nearest(figures: Mapping[str, float], reported: float | None, share: float, least: float) -> str | None:
    """The pool with the nearest figure, if it is near enough; the first by name of two."""
    if not reported:
        return None
    off, pool = min(((abs(value - reported), pool) for pool, value in figures.items()), default=(float("inf"), None))
    return pool if off <= max(share * reported, least) else None


@dataclass(frozen=True, slots=True)
class Peak:
    """A pool's worst values during an incident; None: unknown."""

    queued: int | None = None
    oldest_wait_seconds: float | None = None


def worst_peaks(pools: Iterable[str], peaks: Mapping[str, Peak]) -> list[str]:
    """The pools by what they had at their worst (`worst_first`)."""
    known = ((name, peaks.get(name, Peak())) for name in pools)
    return [
        one.pool
        for one in worst_first(
            [Snapshot(name, 0.0, queued=peak.queued, oldest_wait_seconds=peak.oldest_wait_seconds)
             for name, peak in known]
        )
    ]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Reported:
    """The figures of the last update in the thread."""

    at: float
    queued: int | None
    oldest_wait_seconds: float | None
    worst: str | None
    sources: Mapping[str, str] = field(default_factory=dict)
    """Pool → the source of its queue."""

    def compares_with(self, other: "Reported") -> bool:
        """Whether no pool's queue is of another source since."""
        return all(other.sources.get(pool, source) in {"", source} for pool, source in self.sources.items() if source)


def much_worse(last: Reported, present: Reported) -> bool:
    """Whether the queue or the longest wait has doubled since the last report."""
    before, queued = last.queued, present.queued
    if queued is not None and before is not None and queued >= max(2 * before, before + 3):
        return True
    was, wait = last.oldest_wait_seconds, present.oldest_wait_seconds
    return was is not None and wait is not None and wait >= max(2 * was, was + LEAST_WAIT_SECONDS)


@dataclass(frozen=True, slots=True)
class IncidentPools:
    candidates: tuple[str, ...] = ()
    """Pools the alert may concern; all are measured."""
    affected: tuple[str, ...] = ()
    """Candidates with a queue; they decide whether the incident is drained."""
    unknown_pools: tuple[str, ...] = ()
    """Pool names in the alert that the configuration does not contain."""
    peaks: Mapping[str, Peak] = field(default_factory=dict)
    streaks: Mapping[str, int] = field(default_factory=dict)
    """Consecutive fresh samples at or under the floor, by affected pool."""
    seen: Mapping[str, float] = field(default_factory=dict)
    """Time of the newest processed sample, by pool."""
    maxima: Maxima | None = None
    """The pools with the alert's maxima, if it names no pool."""
    courses: Mapping[str, QueueSeries] = field(default_factory=dict)
    verdicts: Mapping[str, HeldCause] = field(default_factory=dict)
    before: SeenBefore | None = None
    """The newest closed incident that looks like this one."""
    looked_for: str = ""
    """The first cause for which closed incidents were asked; empty: not yet."""
    reported: Reported | None = None
    scores: tuple[Score, ...] = ()
    """Scores of the forecasts made while it was open; filled after the drain."""

    @property
    def judged(self) -> tuple[str, ...]:
        """The pools that decide the drain: the affected ones; without any, all candidates."""
        return self.affected or self.candidates

    def naming(self, pools: Named, now: float) -> "IncidentPools":
        """Add pools named by a delivery; earlier measurements of them count."""
        new = {name: now - 1 for name in pools.candidates if name not in self.candidates}
        return replace(
            self,
            seen={**new, **self.seen},
            candidates=tuple(dict.fromkeys((*self.candidates, *pools.candidates))),
            affected=tuple(dict.fromkeys((*self.affected, *pools.named))),
            unknown_pools=tuple(dict.fromkeys((*self.unknown_pools, *pools.unknown))),
        )


def raised(peak: Peak, snapshot: Snapshot) -> Peak:
    """The peak with one more sample; unknown figures change nothing."""
    waits = peak.oldest_wait_seconds, snapshot.oldest_wait_seconds
    return Peak(most((peak.queued, snapshot.queued)), most(waits))
