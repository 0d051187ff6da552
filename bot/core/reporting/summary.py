"""Computes the report: per pool the waits, incidents, recurring patterns, actions and advice of some days."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, tzinfo

from bot.core.audit_chain import AuditEntry
from bot.core.incident.incident import Incident
from bot.core.pool.early_warning import WarningHistory
from bot.core.pool.hour_stats import (
    HOUR_SECONDS,
    SIZE_EDGES,
    WAIT_EDGES,
    DaySums,
    Fired,
    HourStats,
    added,
    quantile,
    share_above,
)
from bot.core.pool.outlook import RunnerPrice
from bot.core.pool.pool import PoolRules
from bot.core.reporting.hours import Hours
from bot.core.reporting.incident_history import (
    NO_POOL,
    PoolIncidents,
    ScaleUps,
    began_in,
    incidents_by_pool,
    scale_ups_by_pool,
)
from bot.core.reporting.proposals import Proposal, ProposalData, best, proposals
from bot.core.reporting.recurrence import Pattern, patterns
from bot.core.reporting.sizing import NeededLimit, needed_limit
from bot.core.statement import Statement, statement

TARGET_SECONDS = 900.0
MOST_SIZED = 8


@dataclass(frozen=True, slots=True)
class ReportData:
    since: float
    """Epoch seconds."""
    until: float
    incidents: tuple[Incident, ...] = ()
    fired: Mapping[str, tuple[Fired, ...]] = field(default_factory=dict)
    """State of the pools when their alerts fired."""
    early: Mapping[str, WarningHistory] = field(default_factory=dict)
    """Outcomes of early warnings since counting began."""
    trail: tuple[AuditEntry, ...] = ()
    rules: Mapping[str, PoolRules] = field(default_factory=dict)
    prices: Mapping[str, RunnerPrice] = field(default_factory=dict)
    currency: str = ""
    zone: tzinfo = UTC
    target_seconds: float = TARGET_SECONDS


@dataclass(frozen=True, slots=True)
class Waits:
    """Waiting time of a pool's oldest job, over the measured time."""

    p50_seconds: float
    """An upper bound of the median of the oldest job's wait, as of the others; an empty queue waits 0 s."""
    p90_seconds: float
    p99_seconds: float
    over_share: float
    """Share of the measured time in which the oldest job had waited longer than the target."""
    jobs_p95_seconds: float | None
    """95th percentile of the jobs' waits, if the oldest starts first; None when starts are unknown."""
    waited_seconds: float | None
    """Approximate sum of all jobs' waits; None if queue lengths are unknown."""


@dataclass(frozen=True, slots=True)
class PoolReport:
    pool: str
    measured_share: float
    """Measured share of the period, 0 to 1."""
    waits: Waits | None
    history: PoolIncidents
    patterns: tuple[Pattern, ...]
    raises: ScaleUps | None
    sized: NeededLimit | Statement | None = None
    """The limit that would have met the target, or why there is none."""
    limit: int | None = None
    longest_wait_seconds: float = 0.0
    most_queued: int = 0
    """Longest queue seen, in and outside of incidents."""
    early: WarningHistory | None = None

    @property
    def waited_seconds(self) -> float:
        """Total wait of the pool's jobs, from its hours or its incidents, whichever is more."""
        return max(self.history.waited_seconds, (self.waits.waited_seconds if self.waits else None) or 0.0)

    @property
    def has_news(self) -> bool:
        return bool(self.history.incidents or self.raises or (self.waits and self.waits.over_share > 0))


@dataclass(frozen=True, slots=True)
class Report:
    """All pools, longest total wait first, and the advice."""

    since: float
    until: float
    target_seconds: float
    pools: tuple[PoolReport, ...]
    proposals: tuple[Proposal, ...]
    incidents: int
    """Each incident counts once, for any number of pools."""
    open_now: int
    zone: tzinfo = UTC

    @property
    def has_news(self) -> bool:
        return bool(self.incidents or self.proposals or any(pool.has_news for pool in self.pools))


@dataclass(frozen=True, slots=True)
class Basis:
    """What is worked out once for all pools."""

    data: ReportData
    inside: tuple[Incident, ...]
    """The incidents that began in the period."""
    histories: Mapping[str, PoolIncidents]
    lent: Mapping[str, ScaleUps]
    names: tuple[str, ...]
    """The pools that are configured or named by one of these incidents, or the chosen ones of them."""
    open_now: int
    incidents: int


def basis(data: ReportData, only: Iterable[str] | None = None) -> Basis:
    """The basis of a report; `data` needs no hours for it."""
    inside = began_in(data.incidents, data.since, data.until)
    histories = {row.pool: row for row in incidents_by_pool(inside, data.since, data.until)}
    lent = scale_ups_by_pool(data.trail, data.since, data.until, data.prices, data.currency)
    chosen = None if only is None else set(only)
    names = tuple(n for n in dict.fromkeys((*data.rules, *histories)) if chosen is None or n in chosen)
    about = [i for i in inside if chosen is None or set(i.pools.affected or (NO_POOL,)) & {*names}]
    open_now = sum(not incident.closed for incident in about)
    return Basis(data, tuple(inside), histories, lent, names, open_now, len(about))


@dataclass(frozen=True, slots=True)
class Draft:
    """A pool of a report, before it is known which pools are the worst."""

    report: PoolReport
    over: tuple[float, ...]
    """When the hours of the period began in which jobs waited too long; epoch seconds."""
    proposals: tuple[Proposal, ...]


def drafts(base: Basis, hours: Mapping[str, Hours], names: Iterable[str]) -> tuple[Draft, ...]:
    """Some of the pools; their records are not needed any more afterwards."""
    return tuple(_draft(base, name, hours.get(name, Hours())) for name in dict.fromkeys(names))


def worst(some: Iterable[Draft]) -> tuple[Draft, ...]:
    """Those whose hours are read for a better limit or idle runners: only the worst, because somebody waits for it."""
    return tuple(sorted(some, key=_order)[:MOST_SIZED])


def completed(base: Basis, some: Sequence[Draft], hours: Mapping[str, tuple[HourStats, ...]]) -> Report:
    """The report from all its pools; `hours` are those of the worst."""
    sized = {one.report.pool: _sized(base, one, hours.get(one.report.pool, ())) for one in worst(some)}
    pools = [sized.get(one.report.pool, one) for one in sorted(some, key=_order)]
    return Report(
        since=base.data.since,
        until=base.data.until,
        target_seconds=base.data.target_seconds,
        pools=tuple(one.report for one in pools),
        proposals=best(proposal for one in pools for proposal in one.proposals),
        incidents=base.incidents,
        open_now=base.open_now,
        zone=base.data.zone,
    )


def _order(one: Draft) -> tuple[float, int, str]:
    return (-one.report.waited_seconds, -one.report.history.incidents, one.report.pool)


def _draft(base: Basis, name: str, hours: Hours) -> Draft:
    data, sums, past = base.data, hours.sums, base.histories.get(name, PoolIncidents(name))
    made = PoolReport(
        pool=name,
        measured_share=min(1.0, sum(one.covered_seconds for one in sums) / max(1.0, data.until - data.since)),
        waits=_waits(sums, data.target_seconds),
        history=past,
        patterns=_patterns(data, name, hours),
        raises=base.lent.get(name),
        sized=statement("not_among_worst", pools=MOST_SIZED),
        limit=hours.limit,
        longest_wait_seconds=max([past.longest_wait_seconds, *(one.longest_wait_seconds or 0.0 for one in sums)]),
        most_queued=max([past.most_queued, *(one.queued_most or 0 for one in sums)]),
        early=data.early.get(name),
    )
    period = (at for at, wait in hours.waits if wait > data.target_seconds and data.since < at + HOUR_SECONDS)
    over = tuple(at for at in period if at < data.until)
    return Draft(made, over, proposals([_proposal_data(base, made, over)]))


def _sized(base: Basis, one: Draft, cells: tuple[HourStats, ...]) -> Draft:
    """Add the needed limit, and propose again with it."""
    made = replace(one.report, sized=needed_limit(cells, base.data.target_seconds))
    return replace(one, report=made, proposals=proposals([_proposal_data(base, made, one.over, cells)]))


def _waits(sums: Sequence[DaySums | HourStats], target_seconds: float) -> Waits | None:
    times = added([one.waits for one in sums])
    longest = [one.longest_wait_seconds for one in sums if any(one.waits)]
    most = max((WAIT_EDGES[-1] if wait is None else wait for wait in longest), default=0.0)
    bounds = [*(edge for edge in WAIT_EDGES if edge < most), most]  # a class is wider than what was seen in it
    p50, p90, p99 = (quantile(times, share, bounds) for share in (0.5, 0.9, 0.99))
    if p50 is None or p90 is None or p99 is None:
        return None
    started, sizes = added([one.waited for one in sums]), added([one.sizes for one in sums])
    return Waits(
        p50_seconds=p50,
        p90_seconds=p90,
        p99_seconds=p99,
        over_share=share_above(times, target_seconds, bounds) or 0.0,
        jobs_p95_seconds=quantile(started, 0.95, bounds),
        waited_seconds=_waited(sizes) if sum(sizes) > 0 else None,
    )


def _waited(sizes: Sequence[float]) -> float:
    """Job-seconds in the queue; each class counts with its middle, the last one with its lower end."""
    total = 0.0
    for place, seconds in enumerate(sizes):
        high = SIZE_EDGES[min(place, len(SIZE_EDGES) - 1)]
        low = SIZE_EDGES[place - 1] + 1 if 0 < place < len(SIZE_EDGES) else high
        total += seconds * (low + high) / 2
    return total


def _patterns(data: ReportData, name: str, hours: Hours) -> tuple[Pattern, ...]:
    """Patterns from the pool's hours; without any, from its incidents."""
    if hours.waits:
        return patterns(((at, wait > data.target_seconds) for at, wait in hours.waits), data.zone)
    mine = [i for i in data.incidents if name in i.pools.affected]
    if not mine:
        return ()
    spans = [(i.opened_at // HOUR_SECONDS, (i.closed_at or data.until) // HOUR_SECONDS) for i in mine]
    busy = {hour for start, end in spans for hour in range(int(start), int(max(start, end)) + 1)}
    every = range(int(min(spans)[0]), int(data.until // HOUR_SECONDS) + 1)
    return patterns(((hour * HOUR_SECONDS, hour in busy) for hour in every), data.zone)


def _proposal_data(
    base: Basis, one: PoolReport, over: tuple[float, ...], cells: tuple[HourStats, ...] = ()
) -> ProposalData:
    data = base.data
    return ProposalData(
        pool=one.pool,
        history=one.history,
        patterns=one.patterns,
        sized=one.sized,
        over=over,
        cells=cells,
        incidents=tuple(i for i in base.inside if one.pool in i.pools.affected),
        fired=tuple(f for f in data.fired.get(one.pool, ()) if data.since <= f.at < data.until),
        waited_seconds=one.waited_seconds,
        limit=one.limit,
        boot_seconds=data.rules[one.pool].boot_time_seconds if one.pool in data.rules else 0.0,
        price=data.prices.get(one.pool),
        currency=data.currency,
        target_seconds=data.target_seconds,
        zone=data.zone,
    )
