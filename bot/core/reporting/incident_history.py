"""The incidents and scale-ups of some days by pool, from records."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from statistics import median
from typing import TypeVar

from bot.core.audit_chain import AuditEntry
from bot.core.forecast.scoring import held_share, not_scored
from bot.core.incident.details.events import CauseJudged
from bot.core.incident.incident import Incident, State
from bot.core.incident.timeline import Event, Role
from bot.core.pool.outlook import LeftOut, RunnerPrice
from bot.core.scaling.lease import SCALE_UP

NO_POOL = "(no pool named)"
S = TypeVar("S", bound=str)


class IncidentEnd(StrEnum):
    DRAINED = "drained"
    BY_HAND = "by_hand"
    UNMEASURED = "unmeasured"
    """The alert resolved, and no pool could be measured."""


@dataclass(frozen=True, slots=True)
class PoolIncidents:
    """One pool's incidents; durations in seconds."""

    pool: str
    """`(no pool named)` collects incidents in which no pool queued."""
    incidents: int = 0
    open_now: int = 0
    open_seconds: float = 0.0
    """How long they lasted until the end of the span, in total."""
    median_duration_seconds: float | None = None
    """Over the closed ones; None if none has closed."""
    longest_wait_seconds: float = 0.0
    most_queued: int = 0
    waited_seconds: float = 0.0
    """Total wait of jobs in them; a lower bound."""
    ended: tuple[tuple[IncidentEnd, int], ...] = ()
    """Kind of end → number, the most frequent first."""
    causes: tuple[tuple[str, int], ...] = ()
    """Id of the likeliest cause of an incident → in how many, the most frequent first; None counts nowhere."""
    judged: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Id of a cause → how many people confirmed and denied it."""
    held: int = 0
    scored: int = 0
    """Scored forecasts with a time; `held` of them were right."""
    left_out: Counter[LeftOut] = field(default_factory=Counter)
    """Unscored forecasts with a time, by reason."""


def began_in(incidents: Iterable[Incident], since: float, until: float) -> list[Incident]:
    """The incidents that opened inside a span of epoch seconds, oldest first."""
    return sorted((i for i in incidents if since <= i.opened_at < until), key=lambda i: (i.opened_at, i.id))


def incidents_by_pool(incidents: Iterable[Incident], since: float, until: float) -> tuple[PoolIncidents, ...]:
    """The incidents that opened inside the span, by affected pool, most frequent first; one may count for several."""
    by_pool: dict[str, list[Incident]] = {}
    for incident in began_in(incidents, since, until):
        for pool in incident.pools.affected or (NO_POOL,):
            by_pool.setdefault(pool, []).append(incident)
    rows = [_row(pool, members, until) for pool, members in by_pool.items()]
    return tuple(sorted(rows, key=lambda row: (-row.incidents, row.pool)))


def _row(pool: str, members: Sequence[Incident], until: float) -> PoolIncidents:
    durations = [i.lasted(i.closed_at) for i in members if i.closed and i.closed_at is not None]
    peaks = [i.pools.peaks[pool] for i in members if pool in i.pools.peaks]
    courses = [i.pools.courses[pool] for i in members if pool in i.pools.courses]
    scores = [s for i in members for s in i.pools.scores if s.forecast.pool in {pool, ""}]
    held, scored = held_share(scores)
    return PoolIncidents(
        pool=pool,
        incidents=len(members),
        open_now=sum(not i.closed for i in members),
        open_seconds=sum(i.lasted(until) for i in members),
        median_duration_seconds=median(durations) if durations else None,
        longest_wait_seconds=max((peak.oldest_wait_seconds or 0.0 for peak in peaks), default=0.0),
        most_queued=max((peak.queued or 0 for peak in peaks), default=0),
        waited_seconds=sum(series.waited_seconds for series in courses),
        ended=_by_number(how_ended(i) for i in members if i.closed),
        causes=_by_number(series.likeliest[0] for series in courses if series.likeliest),
        judged=judged_causes(members),
        held=held,
        scored=scored,
        left_out=not_scored(scores),
    )


def judged_causes(incidents: Iterable[Incident]) -> dict[str, tuple[int, int]]:
    """Answers to "Was this the cause?": cause → (yes, no); the last answer of a person in an incident counts."""
    answers: dict[tuple[str, str | None, str], bool] = {}
    for incident in incidents:
        for entry in incident.log.timeline:
            if isinstance(entry.details, CauseJudged):
                answers[incident.id, entry.who, entry.details.cause] = entry.details.fits
    causes = dict.fromkeys(cause for _, _, cause in answers)
    judged = {cause: [fits for (_, _, known), fits in answers.items() if known == cause] for cause in causes}
    return {cause: (sum(fits), len(fits) - sum(fits)) for cause, fits in judged.items()}


def _by_number(found: Iterable[S]) -> tuple[tuple[S, int], ...]:
    return tuple(sorted(Counter(found).items(), key=lambda item: (-item[1], item[0])))


def how_ended(incident: Incident) -> IncidentEnd:
    if incident.state is State.DRAINED:
        return IncidentEnd.DRAINED
    by_hand = any(e.event is Event.RESOLVED_BY_HAND and e.at == incident.closed_at for e in incident.log.timeline)
    return IncidentEnd.BY_HAND if by_hand else IncidentEnd.UNMEASURED


def about_hours(seconds: float) -> str:
    """Developer-hours of waiting, rounded: `under 0.1 h`, `about 0.4 h`, `about 41 h`, `about 3,200 h`."""
    number = seconds / 3600
    if number < 0.05:
        return "under 0.1 h"
    if number < 10:
        return f"about {number:.1f} h"
    digits = 10.0 ** max(0, len(f"{number:.0f}") - 2)
    return f"about {digits * round(number / digits):,.0f} h"


def acted_on(incident: Incident) -> bool:
    """Whether a person did more than acknowledge it."""
    events = [entry.event for entry in incident.log.timeline]
    return any(Role.MITIGATES in event.roles or event is Event.RESOLVED_BY_HAND for event in events)


@dataclass(frozen=True, slots=True)
class ScaleUps:
    """Runners added to one pool; runner-hours end with their return, or at the end of the span."""

    times: int = 0
    runners: int = 0
    """Total added runners."""
    runner_hours: float = 0.0
    """From the scaler's answer on, whether the runners came or not: an upper bound; pools' own time."""
    out: int = 0
    """Scale-ups whose runners were not returned inside the span."""
    cost: float | None = None
    """None when the pool has no price."""
    currency: str = ""


def scale_ups_by_pool(
    trail: Iterable[AuditEntry], since: float, until: float, prices: Mapping[str, RunnerPrice], currency: str = ""
) -> dict[str, ScaleUps]:
    """By pool, the scale-ups that a scaler accepted inside the span (epoch seconds); shadow mode counts nothing."""
    inside = [entry for entry in trail if since <= entry.at < until]
    ended = {e.parameters.get("lease", ""): e.at for e in inside if e.what == "hand_back" and _returned(e)}
    ups: dict[str, list[AuditEntry]] = {}
    for entry in inside:
        if entry.what == SCALE_UP and _added(entry) > 0:
            ups.setdefault(entry.parameters.get("pool", ""), []).append(entry)
    found = {}
    for pool, entries in ups.items():
        spans = [(_added(e), (ended.get(e.act, until) - e.at) / 3600) for e in entries]
        hours = sum(more * lasted for more, lasted in spans)
        runners, out = sum(map(_added, entries)), sum(entry.act not in ended for entry in entries)
        price = prices.get(pool)
        cost = None if price is None else sum(price.an_hour(more) * lasted for more, lasted in spans)
        found[pool] = ScaleUps(len(entries), runners, hours, out, cost, currency)
    return found


def _returned(entry: AuditEntry) -> bool:
    """Whether a return is complete: the level was set, or was no longer ours."""
    return _number(entry.after) is not None or (entry.outcome == "sent" and "target" not in entry.parameters)


def _added(entry: AuditEntry) -> int:
    before, after = _number(entry.before), _number(entry.after)
    return 0 if before is None or after is None else after - before


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() else None
