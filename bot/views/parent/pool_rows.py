"""The sorted rows of an incident's pools, and facts for headlines."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bot.core.alert import Kind
from bot.core.incident.incident import Incident, State
from bot.core.incident.observe import Timing, View
from bot.core.incident.timeline import Event
from bot.core.pool.pool import Pool, PoolRules, Snapshot, Trend, stale, trend, worst_first
from bot.core.words import count, duration, listed
from bot.views.mrkdwn import clean, shortened

MOST_NAME = 48
"""Length of a pool's name in a sentence; the middle is cut, because names differ at both ends."""
MOST_TITLE = 80


@dataclass(frozen=True, slots=True)
class PoolRow:
    """One pool for display."""

    name: str
    sample: Snapshot | None = None
    trend: Trend = Trend.UNKNOWN
    old: bool = False
    """Whether its sample is stale."""
    affected: bool = False
    tried: bool = False
    """Whether it was measured at all."""
    trouble: str | None = None
    floor: int = 0

    @property
    def queued(self) -> int | None:
        """Queued jobs in the newest sample; None if unknown."""
        return self.sample.queued if self.sample else None

    @property
    def queueing(self) -> bool:
        """Whether the newest sample, of any age, has a queue above the floor."""
        return self.queued is not None and self.queued > self.floor

    @property
    def quiet(self) -> bool:
        """Whether a fresh sample has no queue above the floor."""
        return not self.old and self.queued is not None and self.queued <= self.floor

    @property
    def pending(self) -> bool:
        """Whether the first measurement is pending."""
        return self.sample is None and not self.tried


def rows(names: Iterable[str], affected: Sequence[str], view: View, now: float, timing: Timing) -> tuple[PoolRow, ...]:
    """The pools, affected ones first, each part worst first; pools without figures last."""
    made = [_row(name, name in affected, view, now, timing) for name in dict.fromkeys(names)]
    order = worst_first([row.sample or Snapshot(row.name, 0.0) for row in made])
    place = {sample.pool: index for index, sample in enumerate(order)}
    return tuple(sorted(made, key=lambda row: (not row.affected, place.get(row.name, len(made)))))


def of_snapshots(figures: Sequence[Snapshot]) -> tuple[PoolRow, ...]:
    """Rows for the figures of one past time, worst first."""
    return tuple(PoolRow(sample.pool, sample, affected=True, tried=True) for sample in worst_first(list(figures)))


def of_incident(incident: Incident, view: View, now: float, timing: Timing) -> tuple[PoolRow, ...]:
    """The rows of an incident's pools."""
    return rows((*incident.pools.affected, *incident.pools.candidates), incident.pools.affected, view, now, timing)


def _row(name: str, affected: bool, view: View, now: float, timing: Timing) -> PoolRow:
    pool = view.pools.get(name, Pool(name))
    return PoolRow(
        name=name,
        sample=pool.latest,
        trend=trend(pool),
        old=pool.latest is not None and stale(pool, now, timing.poll),
        affected=affected,
        tried=bool(pool.samples or pool.trouble or pool.tried_at),
        trouble=pool.trouble,
        floor=view.rules.get(name, PoolRules(name)).floor,
    )


def name_of(pool: str) -> str:
    """A pool's name on one line and not too long."""
    return shortened(clean(pool), MOST_NAME) or "(no name)"


def title_of(incident: Incident) -> str:
    """The alert's title on one line and not too long."""
    whole = clean(incident.group.title) or "Alert without a title"
    return whole if len(whole) <= MOST_TITLE else f"{whole[: MOST_TITLE - 1].rstrip()}…"


def names_of(pools: Sequence[str], most: int = 2) -> str:
    """`a`, `a and b`, `a and 7 more`."""
    return listed((name_of(pool) for pool in pools), most)


def wait_words(seconds: float | None) -> str:
    """A wait in whole minutes, so that a message does not change every second."""
    if seconds is not None and seconds < 60:
        return "under 1 min"
    return duration(None if seconds is None else seconds // 60 * 60)


def queue_words(shown: Sequence[PoolRow]) -> str:
    """`14 jobs queued, oldest waits 1 h 54 min`; `at least` when a pool's queue is unknown."""
    known = [row.queued for row in shown if row.queued is not None]
    if not known:
        return "queue length unknown"
    waits = [row.sample.oldest_wait_seconds for row in shown if row.sample and row.queued]
    told = [wait for wait in waits if wait is not None]
    least = "at least " if len(known) < len(shown) else ""
    words = f"{least}{count(sum(known), 'job')} queued"
    if told:
        return f"{words}, oldest waits {wait_words(max(told))}"
    return f"{words}, oldest wait unknown" if sum(known) else words


def headline(incident: Incident, view: View, now: float, timing: Timing) -> str:
    """Facts for a heading: pool, jobs and wait, without the state; plain text, not escaped."""
    if incident.closed:
        return f"{_subject(incident)}: {ending(incident)}"
    if incident.group.kind is Kind.BLIND:
        return f"{title_of(incident)}: the metric source has no data"
    seen = of_incident(incident, view, now, timing)
    eased = "alert resolved; " if incident.state is State.EASING and not incident.group.firing else ""
    if not seen:
        return f"{title_of(incident)}: {eased}queue not measured"
    if all(row.pending for row in seen):
        return f"{title_of(incident)}: {eased}measuring {count(len(seen), 'pool')}"
    queueing = [row for row in seen if row.queueing]
    if queueing:
        worst, more = queueing[0], queueing[1:]
        old = " (old figures)" if worst.old else ""
        also = f"; {count(len(more), 'more pool')} with {_jobs(more)}" if more else ""
        return f"{name_of(worst.name)}: {eased}{queue_words([worst])}{old}{also}"
    return f"{_subject(incident)}: {eased}{_nothing(incident, seen)}"


def _jobs(shown: Sequence[PoolRow]) -> str:
    return count(sum(row.queued or 0 for row in shown), "job")


def _nothing(incident: Incident, seen: Sequence[PoolRow]) -> str:
    judged = [row for row in seen if row.affected] or list(seen)
    unknown = [row for row in judged if not row.quiet]
    if len(unknown) == len(judged):
        return "queue length unknown"
    if unknown:
        return f"queue length unknown in {len(unknown)} of {count(len(judged), 'pool')}"
    still = ", the alert still fires" if incident.state is State.EASING and incident.group.firing else ""
    waiting = sum(row.queued or 0 for row in judged)
    few = f"{count(waiting, 'job')} queued, at or under the floor" if waiting else "nothing queued"
    return f"{few}{still}" if incident.pools.affected else f"{few} in {count(len(judged), 'pool')}{still}"


def ending(incident: Incident) -> str:
    """How an incident ended, and after what time."""
    lasted = duration(max(0.0, (incident.closed_at or incident.changed_at) - began_at(incident)))
    if incident.state is State.DRAINED:
        return f"queue empty after {lasted}"
    if incident.group.kind is Kind.BLIND:
        return f"over after {lasted}"
    by_hand = [entry.at for entry in incident.log.timeline if entry.event is Event.RESOLVED_BY_HAND]
    if by_hand and by_hand[-1] >= incident.changed_at:
        return f"closed by hand after {lasted}"
    return f"alert resolved after {lasted}, queue not measured"


def began_at(incident: Incident) -> float:
    """The start; an invalid one (year 1) does not count."""
    starts = [alert.starts_at for alert in incident.group.alerts if alert.starts_at and alert.starts_at > 946_684_800]
    return min([*starts, incident.opened_at])


def _subject(incident: Incident) -> str:
    return names_of(incident.pools.affected) if incident.pools.affected else title_of(incident)


def state_words(incident: Incident) -> str:
    """`OPEN · P2`; the state is always in words."""
    priority = f" · {clean(incident.group.priority)[:8]}" if incident.group.priority else ""
    return f"{incident.state.value.upper()}{priority}"
