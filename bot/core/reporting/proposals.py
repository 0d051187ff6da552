"""Proposes changes with evidence; none if the records do not support one."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, tzinfo
from statistics import median

from bot.core.incident.incident import Incident
from bot.core.pool.hour_stats import Fired, HourStats
from bot.core.reporting.incident_history import PoolIncidents, about_hours, how_ended, touched
from bot.core.reporting.ready import ready
from bot.core.reporting.recurrence import Pattern
from bot.core.reporting.sizing import Sized, over_target
from bot.core.reporting.staffing import MARGIN, SHARE
from bot.core.words import count, duration

MOST = 3
LEAST = 3
"""Incidents or hours required for a conclusion."""
MOSTLY = 2 / 3
LATE_FACTOR = 2.0
"""An alert is late if the oldest job had waited this many times the target."""
SENT = 0.4
"""Share of jobs, and twice its usual share, that makes a source worth stopping."""
CALM_WORTH_SECONDS = 600.0
"""The cost of a needless alert for its reader."""
LIMIT, SURGE, FLOOD = "limit", "surge", "flood"
"""Ids of causes."""
SHORT_OF_RUNNERS = frozenset({LIMIT, SURGE})
"""Causes against which more runners help."""


@dataclass(frozen=True, slots=True)
class Ground:
    """Data of one pool for proposals."""

    pool: str
    history: PoolIncidents
    patterns: tuple[Pattern, ...] = ()
    sized: Sized | str = ""
    cells: tuple[HourStats, ...] = ()
    """Of the span."""
    incidents: tuple[Incident, ...] = ()
    """That affected the pool, of the span."""
    fired: tuple[Fired, ...] = ()
    waited_seconds: float = 0.0
    limit: int | None = None
    boot_seconds: float = 0.0
    price: float | None = None
    target_seconds: float = 900.0
    zone: tzinfo = UTC


@dataclass(frozen=True, slots=True)
class Proposal:
    """One change and why; plain words, drawn and escaped by the views."""

    pool: str
    words: str
    evidence: tuple[str, ...]
    weight: float
    """Affected seconds of waiting; proposals are ranked by this."""


def proposals(grounds: Iterable[Ground]) -> tuple[Proposal, ...]:
    """At most three proposals, the one with the most waiting first."""
    made = [proposal for ground in grounds for rule in RULES if (proposal := rule(ground)) is not None]
    return tuple(sorted(made, key=lambda one: (-one.weight, one.pool, one.words))[:MOST])


def _limit(ground: Ground) -> Proposal | None:
    """Raise the limit to the one that would have met the target."""
    need = ground.sized
    if not isinstance(need, Sized) or not _short_of_runners(ground):
        return None
    target, found = duration(ground.target_seconds), need.found
    kept = (
        f"with {found.runners:,} runners {1 - found.late_share:.0%} of the {count(found.jobs, 'job')} of the "
        f"{count(need.hours, 'hour')} over {target} would have started within it, with {need.limit:,} "
        f"only {1 - need.late_now:.0%} ({found.method}; {MARGIN - 1:.0%} more work would fit too)"
    )
    held = f"a job keeps a runner's place for {duration(need.hold_seconds)} on average"
    words = f"Raise the limit of {ground.pool} from {need.limit:,} to {found.runners:,}."
    return Proposal(ground.pool, words, (*_seen(ground), kept, held, *_cost(ground, need)), ground.waited_seconds)


def _ready(ground: Ground) -> Proposal | None:
    """Keep idle runners before hours in which the pool grows too slowly although it has room."""
    if isinstance(ground.sized, Sized) or not ground.patterns or ground.limit is None:
        return None
    if not _mostly(ground, {SURGE}):
        return None
    need = ready(ground.patterns[0], ground.cells, ground.target_seconds, ground.zone)
    if need is None or need.runners > ground.limit or need.idle < 1:
        return None
    window = ground.patterns[0]
    words = (
        f"Keep {count(need.idle, 'idle runner')} of {ground.pool} on {window.days} from {window.from_hour:02}:00, "
        f"{need.runners:,} in all."
    )
    grows = f"the limit of {ground.limit:,} was not reached then: at most {need.busy_most:,} were at work"
    kept = f"{need.runners:,} that are there keep {SHARE:.0%} of the jobs under {duration(ground.target_seconds)}"
    boot = f"a new one takes about {duration(ground.boot_seconds)} to boot"
    evidence = (*_seen(ground), grows, f"{kept} (queueing theory, Erlang C); {boot}")
    return Proposal(ground.pool, words, evidence, ground.waited_seconds)


def _earlier(ground: Ground) -> Proposal | None:
    """Fire earlier: somebody waited too long before the alert, or without one."""
    target = duration(ground.target_seconds)
    over = [cell for cell in ground.cells if over_target(cell, ground.target_seconds)]
    alone = [cell for cell in over if not any(_open_in(incident, cell) for incident in ground.incidents)]
    known = [one.oldest_wait_seconds for one in ground.fired if one.oldest_wait_seconds is not None]
    if len(alone) >= LEAST and len(alone) >= len(over) / 2:
        why = f"in {len(alone):,} of {count(len(over), 'hour')} with a wait over {target}, no alert had fired"
    elif len(known) >= LEAST and median(known) > LATE_FACTOR * ground.target_seconds:
        why = f"when it fired, the oldest job had waited {duration(median(known))} (median of {len(known):,} times)"
    else:
        return None
    words = f"Let an alert for {ground.pool} fire earlier: at a wait of {target}."
    return Proposal(ground.pool, words, (why,), ground.waited_seconds / 2)


def _later(ground: Ground) -> Proposal | None:
    """Fire later: most incidents ended before anybody had to act."""
    calm = [incident for incident in ground.incidents if _calm(incident, ground)]
    if len(calm) < LEAST or len(calm) < MOSTLY * len(ground.incidents):
        return None
    longest = max(incident.peaks[ground.pool].oldest_wait_seconds or 0.0 for incident in calm)
    words = f"Let the alert for {ground.pool} fire later: above a wait of {duration(_rounded_up(longest))}."
    why = (
        f"{len(calm):,} of {count(len(ground.incidents), 'incident')} drained although nobody did anything, and in "
        f"those nobody waited longer than {duration(longest)}"
    )
    return Proposal(ground.pool, words, (why,), CALM_WORTH_SECONDS * len(calm))


def _source(ground: Ground) -> Proposal | None:
    """One source flooded the pool, more than once."""
    floods = [i for i in ground.incidents if _likeliest(i, ground.pool) == FLOOD]
    sent = [found for incident in floods if (found := _sender(incident, ground.pool)) is not None]
    if not sent:
        return None
    name, times = Counter(source for source, _, _ in sent).most_common(1)[0]
    if times < 2:
        return None
    most, usual = max((share, was) for source, share, was in sent if source == name)
    before = f", usually {usual:.0%}" if usual else ""
    why = (
        f"in {times:,} of {count(len(ground.incidents), 'incident')} it flooded the pool: up to {most:.0%} of the jobs "
        f"of a quarter of an hour came from it{before}"
    )
    return Proposal(ground.pool, f"Stop {name} first: it floods {ground.pool}.", (why,), ground.waited_seconds)


RULES: tuple[Callable[[Ground], Proposal | None], ...] = (_limit, _ready, _source, _earlier, _later)


def _seen(ground: Ground) -> tuple[str, ...]:
    waited = f"about {about_hours(ground.waited_seconds)} of waiting" if ground.waited_seconds else ""
    incidents = count(ground.history.incidents, "incident") if ground.history.incidents else "no incident"
    parts = [incidents, waited, *(window.words for window in ground.patterns[:1])]
    return ("; ".join(part for part in parts if part),)


def _cost(ground: Ground, need: Sized) -> tuple[str, ...]:
    more = need.found.runners - need.limit
    if ground.price is None:
        return ()
    return (f"{more:,} more runners cost about {more * ground.price:.2f} an hour, while they run",)


def _short_of_runners(ground: Ground) -> bool:
    """Whether more runners help against most known causes."""
    return not ground.history.causes or _mostly(ground, SHORT_OF_RUNNERS)


def _mostly(ground: Ground, causes: Iterable[str]) -> bool:
    known, wanted = sum(number for _, number in ground.history.causes), set(causes)
    return known > 0 and sum(n for cause, n in ground.history.causes if cause in wanted) > known / 2


def _likeliest(incident: Incident, pool: str) -> str:
    course = incident.courses.get(pool)
    return course.likeliest[0] if course and course.likeliest else ""


def _sender(incident: Incident, pool: str) -> tuple[str, float, float] | None:
    """(source, its share of jobs, its usual share) at its largest, from the thread's figures."""
    found: list[tuple[str, float, float]] = []
    for sample in (s for entry in incident.timeline for s in entry.figures if s.pool == pool):
        total = sum(one.number for one in sample.arrivals_by_source)
        every = sum(one.number for one in sample.usual_by_source)
        usual = {one.name: one.number / every for one in sample.usual_by_source} if every else {}
        for one in sample.arrivals_by_source:
            share, was = one.number / total if total else 0.0, usual.get(one.name, 0.0)
            if share >= SENT and share >= 2 * was:
                found.append((one.name, share, was))
    return max(found, key=lambda one: one[1], default=None)


def _open_in(incident: Incident, cell: HourStats) -> bool:
    ends = incident.closed_at or float("inf")
    return incident.opened_at < cell.begins_at + 3600 and ends > cell.begins_at


def _calm(incident: Incident, ground: Ground) -> bool:
    peak = incident.peaks.get(ground.pool)
    if peak is None or touched(incident) or how_ended(incident) != "drained" or not incident.closed:
        return False
    return 0 < (peak.oldest_wait_seconds or 0.0) <= ground.target_seconds


def _rounded_up(seconds: float) -> float:
    """To the next full 5 minutes."""
    return 300.0 * -(-int(seconds) // 300) if seconds else 300.0
