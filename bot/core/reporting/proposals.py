"""Proposes changes with evidence; none if the records do not support one."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, tzinfo
from math import ceil
from statistics import mean, median

from bot.core.incident.incident import Incident
from bot.core.pool.hour_stats import HOUR_SECONDS, Fired, HourStats
from bot.core.pool.outlook import RunnerPrice
from bot.core.reporting.incident_history import IncidentEnd, PoolIncidents, acted_on, how_ended
from bot.core.reporting.recurrence import Pattern
from bot.core.reporting.sizing import NeededLimit, job_seconds, over_target, runs_of, stretch_of
from bot.core.reporting.staffing import MARGIN, SHARE, fewest_runners
from bot.core.statement import Statement, statement

MOST = 3
LEAST = 3
"""Incidents or hours required for a conclusion."""
MOSTLY = 2 / 3
LATE_FACTOR = 2.0
"""An alert is late if the oldest job had waited this many times the target."""
CALM_WORTH_SECONDS = 600.0
"""The cost of a needless alert for its reader."""
LIMIT, SURGE = "limit", "surge"
"""Ids of causes."""
SHORT_OF_RUNNERS = frozenset({LIMIT, SURGE})
"""Causes against which more runners help."""


@dataclass(frozen=True, slots=True)
class ProposalData:
    """Data of one pool for proposals."""

    pool: str
    history: PoolIncidents
    patterns: tuple[Pattern, ...] = ()
    sized: NeededLimit | Statement | None = None
    over: tuple[float, ...] = ()
    """When the hours began in which jobs waited longer than the target; epoch seconds."""
    cells: tuple[HourStats, ...] = ()
    """The hours of the period, if they were read."""
    incidents: tuple[Incident, ...] = ()
    fired: tuple[Fired, ...] = ()
    waited_seconds: float = 0.0
    limit: int | None = None
    boot_seconds: float = 0.0
    price: RunnerPrice | None = None
    currency: str = ""
    target_seconds: float = 900.0
    zone: tzinfo = UTC


@dataclass(frozen=True, slots=True)
class Proposal:
    pool: str
    change: Statement
    evidence: tuple[Statement, ...]
    weight: float
    """Affected seconds of waiting; proposals are ranked by this."""


def proposals(pools: Iterable[ProposalData]) -> tuple[Proposal, ...]:
    """At most three proposals, the one with the most waiting first."""
    return best(proposal for data in pools for rule in RULES if (proposal := rule(data)) is not None)


def best(made: Iterable[Proposal]) -> tuple[Proposal, ...]:
    """Those with the most waiting."""
    return tuple(sorted(made, key=lambda one: (-one.weight, one.pool, one.change.id))[:MOST])


def _raise_limit(data: ProposalData) -> Proposal | None:
    """Raise the limit to the one that would have met the target."""
    need = data.sized
    if not isinstance(need, NeededLimit) or (data.history.causes and not _mostly_caused_by(data, SHORT_OF_RUNNERS)):
        return None
    kept = statement(
        "would_start", runners=need.runners, in_time=1 - need.late_share, jobs=need.jobs, hours=need.hours,
        target=data.target_seconds, limit=need.limit, in_time_now=1 - need.late_now, margin=MARGIN - 1,
    )  # fmt: skip
    why = [_incidents_seen(data), kept, statement("holds_a_place", seconds=need.hold_seconds)]
    if data.price is not None:
        more = need.runners - need.limit
        why.append(statement("costs", more=more, per_hour=data.price.an_hour(more), currency=data.currency))
    change = statement("raise_limit", pool=data.pool, limit=need.limit, runners=need.runners)
    return Proposal(data.pool, change, tuple(why), data.waited_seconds)


def _keep_idle_runners(data: ProposalData) -> Proposal | None:
    """Keep idle runners before hours in which the pool grows too slowly although it has room.

    As many as a replay of the window's bad hours needs, beyond those at work in the hour before.
    """
    grows_slowly = _mostly_caused_by(data, {SURGE}) and not isinstance(data.sized, NeededLimit)
    if not grows_slowly or not data.patterns or data.limit is None:
        return None
    window, target = data.patterns[0], data.target_seconds
    inside = {cell.hour for cell in data.cells if window.holds(cell.begins_at, data.zone)}
    before = [
        cell
        for cell in data.cells
        if cell.hour not in inside and window.holds(cell.begins_at + HOUR_SECONDS, data.zone)
    ]
    at_work = [cell.busy.total / cell.busy.seconds for cell in before if cell.busy.seconds > 0]
    bad = [cell for cell in data.cells if cell.hour in inside and over_target(cell, target)]
    job = job_seconds(bad)
    stretches = [stretch_of(run, data.cells, job) for run in runs_of(bad)] if job else []
    known = [stretch for stretch in stretches if stretch is not None]
    if not at_work or not known or len(known) < len(stretches):
        return None
    runners = fewest_runners(known, target)
    idle = runners - round(mean(at_work))
    if runners > data.limit or idle < 1:
        return None
    change = statement(
        "keep_ready", pool=data.pool, idle=idle, days=window.days, from_hour=window.from_hour, runners=runners
    )
    grows = statement("limit_not_reached", limit=data.limit, busy_most=max(cell.busy_most or 0 for cell in bad))
    boots = statement("boots", runners=runners, share=SHARE, target=target, boot=data.boot_seconds)
    return Proposal(data.pool, change, (_incidents_seen(data), grows, boots), data.waited_seconds)


def _alert_earlier(data: ProposalData) -> Proposal | None:
    """Fire earlier: somebody waited too long before the alert, or without one."""
    target = data.target_seconds
    spans = [(incident.opened_at, incident.closed_at or float("inf")) for incident in data.incidents]
    alone = [at for at in data.over if not any(opened < at + HOUR_SECONDS and ended > at for opened, ended in spans)]
    known = [one.oldest_wait_seconds for one in data.fired if one.oldest_wait_seconds is not None]
    if len(alone) >= LEAST and len(alone) >= len(data.over) / 2:
        why = statement("no_alert", hours=len(alone), of=len(data.over), target=target)
    elif len(known) >= LEAST and median(known) > LATE_FACTOR * target:
        why = statement("fired_late", seconds=median(known), times=len(known))
    else:
        return None
    change = statement("alert_earlier", pool=data.pool, seconds=target)
    return Proposal(data.pool, change, (why,), data.waited_seconds / 2)


def _alert_later(data: ProposalData) -> Proposal | None:
    """Fire later: most incidents ended before anybody had to act."""
    calm = [incident for incident in data.incidents if _drained_unattended(incident, data)]
    if len(calm) < LEAST or len(calm) < MOSTLY * len(data.incidents):
        return None
    longest = max(incident.pools.peaks[data.pool].oldest_wait_seconds or 0.0 for incident in calm)
    seconds = 300.0 * max(1, ceil(int(longest) / 300))  # to the next full 5 minutes
    change = statement("alert_later", pool=data.pool, seconds=seconds)
    why = statement("calm", calm=len(calm), incidents=len(data.incidents), longest=longest)
    return Proposal(data.pool, change, (why,), CALM_WORTH_SECONDS * len(calm))


RULES: tuple[Callable[[ProposalData], Proposal | None], ...] = (
    _raise_limit,
    _keep_idle_runners,
    _alert_earlier,
    _alert_later,
)


def _incidents_seen(data: ProposalData) -> Statement:
    window = data.patterns[0] if data.patterns else None
    about = {name: getattr(window, name, None) for name in ("hit", "of", "days", "hours")}
    return statement("seen", incidents=data.history.incidents, waited_seconds=data.waited_seconds, **about)


def _mostly_caused_by(data: ProposalData, causes: Iterable[str]) -> bool:
    known, these = sum(number for _, number in data.history.causes), set(causes)
    return known > 0 and sum(n for cause, n in data.history.causes if cause in these) > known / 2


def _drained_unattended(incident: Incident, data: ProposalData) -> bool:
    peak = incident.pools.peaks.get(data.pool)
    if peak is None or acted_on(incident) or how_ended(incident) is not IncidentEnd.DRAINED or not incident.closed:
        return False
    return 0 < (peak.oldest_wait_seconds or 0.0) <= data.target_seconds
