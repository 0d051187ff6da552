"""The sorted rows of an incident's pools, and the words for names, queues and waits."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bot.core.charts.trend import Trend, trend
from bot.core.incident.incident import Incident
from bot.core.incident.observe import Timing, View
from bot.core.pool.pool import Pool, PoolRules, Snapshot, cut_off, stale, worst_first
from bot.core.words import count, duration
from bot.views.mrkdwn import clean, clipped, shortened

MOST_NAME = 48
"""Length of a pool's name in a sentence; the middle is cut, because names differ at both ends."""
LEAST_NAME = 12
MOST_TITLE = 80


@dataclass(frozen=True, slots=True)
class PoolRow:
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
    cut_off: bool = False
    """Whether more jobs may wait than are counted."""
    known_at: float | None = None
    """When its queue was last known; None if never, or if more jobs may wait than are counted."""

    @property
    def queued(self) -> int | None:
        return self.sample.queued if self.sample else None

    @property
    def queueing(self) -> bool:
        """Whether the newest sample, of any age, has a queue above the floor."""
        return self.queued is not None and self.queued > (0 if self.cut_off else self.floor)

    @property
    def quiet(self) -> bool:
        """Whether a fresh sample has no queue above the floor."""
        return not self.old and not self.cut_off and self.queued is not None and self.queued <= self.floor

    @property
    def pending(self) -> bool:
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
    return rows((*incident.pools.affected, *incident.pools.candidates), incident.pools.affected, view, now, timing)


def _row(name: str, affected: bool, view: View, now: float, timing: Timing) -> PoolRow:
    pool, rules = view.pools.get(name, Pool(name)), view.rules.get(name, PoolRules(name))
    known = next((one for one in reversed(pool.samples) if one.queued is not None), None)
    return PoolRow(
        name=name,
        sample=pool.latest,
        trend=trend(pool) if pool.latest and pool.latest.queued else Trend.UNKNOWN,  # of the queue that is shown
        old=pool.latest is not None and stale(pool, now, timing.poll),
        affected=affected,
        tried=bool(pool.samples or pool.trouble or pool.tried_at),
        trouble=pool.trouble,
        floor=rules.floor,
        cut_off=pool.latest is not None and cut_off(pool.latest, rules),
        known_at=None if known is None or cut_off(known, rules) else known.at,
    )


def name_of(pool: str) -> str:
    """A pool's name on one line and not too long."""
    return shortened(clean(pool), MOST_NAME) or "(no name)"


def title_of(incident: Incident) -> str:
    """The alert's title on one line and not too long."""
    return clipped(clean(incident.group.title) or "Alert without a title", MOST_TITLE)


def wait_words(seconds: float | None) -> str:
    """A wait in whole minutes, so that a message does not change every second."""
    if seconds is not None and seconds < 60:
        return "under 1 min"
    return duration(None if seconds is None else seconds // 60 * 60)


def busy_words(sample: Snapshot) -> str:
    """`12 of 15 online runners busy (limit 40)`: the limit also counts runners that do not exist."""
    if sample.busy is None:
        return "busy runners unknown"
    online = "" if sample.online is None else f"{sample.busy:,} of {count(sample.online, 'online runner')}"
    limit = "" if sample.limit is None else f" (limit {sample.limit:,})"
    return f"{online or count(sample.busy, 'runner')} busy{limit}"


def queue_words(shown: Sequence[PoolRow]) -> str:
    """`14 jobs queued, longest wait 1 h 54 min`; `at least` when a pool's queue is unknown or may be longer."""
    known = [row.queued for row in shown if row.queued is not None]
    if not known:
        return "queue length unknown"
    waits = [row.sample.oldest_wait_seconds for row in shown if row.sample and row.queued]
    known_waits = [wait for wait in waits if wait is not None]
    least = "at least " if len(known) < len(shown) or any(row.cut_off for row in shown) else ""
    words = f"{least}{count(sum(known), 'job')} queued"
    if known_waits:
        return f"{words}, longest wait {wait_words(max(known_waits))}"
    return f"{words}, longest wait unknown" if sum(known) else words
