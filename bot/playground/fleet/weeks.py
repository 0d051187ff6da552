"""The weeks before the demo begins: even hours, so that the product knows what is usual."""

from collections.abc import Iterable

from bot.core.pool.history import PoolHistory, finished
from bot.core.pool.hour_stats import HOUR_SECONDS, Amount, HourStats
from bot.core.record import Change, Put, Stored
from bot.playground.fleet.spec import PoolSpec

HOURS = 420
"""Two weeks and a half: early warnings need two."""


def known_weeks(specs: Iterable[PoolSpec], now: float) -> Change:
    """The history of these pools up to `now` (epoch seconds), at their usual rate of arrivals."""
    hour = int(now // HOUR_SECONDS)
    pasts = []
    for spec in specs:
        jobs = Amount(60 * spec.arrivals_per_minute, HOUR_SECONDS)
        cells = tuple(HourStats(past, 60, HOUR_SECONDS, jobs) for past in range(hour - HOURS, hour))
        pasts.append(finished(PoolHistory(spec.name), cells))
    return Change(puts=tuple(Put(Stored(PoolHistory(past.id), 0), past, None) for past in pasts))
