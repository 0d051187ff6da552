"""A week's rhythm of arrivals, and the past that a pool with that rhythm would remember."""

import random

from bot.core.pool.history import HourStats, PoolHistory, finished, usual_ahead
from bot.core.pool.hour_stats import Amount, Baseline
from bot.playground.fleet.spec import PoolSpec

WEEK_HOURS = 168


def week(dice: random.Random) -> tuple[float, ...]:
    """Factors of the arrivals for the 168 hours of a week: working hours, lunch, nights, a quiet weekend; mean 1."""
    night, weekend = dice.uniform(0.25, 0.6), dice.uniform(0.3, 0.7)
    first, last = dice.randint(6, 10), dice.randint(17, 22)
    peak = [1.0 + 0.5 * dice.random() for _ in range(24)]
    hours = []
    for hour in range(WEEK_HOURS):
        day, clock = divmod(hour, 24)
        level = peak[clock] if first <= clock < last else night
        hours.append(level * (weekend if day >= 5 else 1.0))
    mean = sum(hours) / len(hours)
    return tuple(level / mean for level in hours)


def remembered_past(spec: PoolSpec, hour: int, weeks: int, dice: random.Random) -> PoolHistory:
    """The hours before `hour` of so many weeks, as chance fills them; each week has a level of its own."""
    cells = []
    for back in range(1, weeks + 1):
        level = dice.lognormvariate(0, 0.1)
        for ago in range(WEEK_HOURS):
            past = hour - WEEK_HOURS * back + ago
            mean = 60 * level * spec.arrivals_per_minute * spec.rhythm[past % len(spec.rhythm)]
            cells.append(HourStats(past, 60, 3600.0, Amount(max(0.0, dice.gauss(mean, mean**0.5)), 3600.0)))
    return finished(PoolHistory(spec.name), tuple(cells))


def ahead(past: PoolHistory, at_seconds: float) -> tuple[Baseline, ...]:
    """What the past foretells at a simulated second."""
    return usual_ahead(past, int(at_seconds // 3600))
