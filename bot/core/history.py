"""What happened over the last days, pool by pool, from the incidents that are still on record."""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

from bot.core.incident import Incident


@dataclass(frozen=True, slots=True)
class PoolHistory:
    """One pool's incidents; durations in seconds."""

    pool: str
    """`(no pool named)` gathers incidents in which no pool was seen to queue."""
    incidents: int
    open_now: int
    median_duration_seconds: float | None
    """Over the closed ones; None when none has closed."""
    longest_wait_seconds: float
    most_queued: int


def history(incidents: Iterable[Incident], now: float, span_seconds: float) -> tuple[PoolHistory, ...]:
    """Incidents that opened inside the span, by affected pool, the most frequent first."""
    by_pool: dict[str, list[Incident]] = {}
    for incident in incidents:
        if now - incident.opened_at <= span_seconds:
            for pool in incident.affected or ("(no pool named)",):
                by_pool.setdefault(pool, []).append(incident)
    rows = [_row(pool, members) for pool, members in by_pool.items()]
    return tuple(sorted(rows, key=lambda row: (-row.incidents, row.pool)))


def _row(pool: str, members: list[Incident]) -> PoolHistory:
    durations = [i.closed_at - i.opened_at for i in members if i.closed and i.closed_at is not None]
    peaks = [i.peaks[pool] for i in members if pool in i.peaks]
    return PoolHistory(
        pool=pool,
        incidents=len(members),
        open_now=sum(not i.closed for i in members),
        median_duration_seconds=median(durations) if durations else None,
        longest_wait_seconds=max((peak.oldest_wait_seconds for peak in peaks), default=0.0),
        most_queued=max((peak.queued for peak in peaks), default=0),
    )
