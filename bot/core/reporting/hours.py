"""What a report needs of a pool's history: the sums of its period, and of all hours how long jobs waited."""

from dataclasses import dataclass
from math import ceil, floor

from bot.core.pool.history import PoolHistory, finished_days, hours_between
from bot.core.pool.hour_stats import HOUR_SECONDS, DaySums, HourStats


@dataclass(frozen=True, slots=True)
class Hours:
    """Of one pool."""

    sums: tuple[DaySums | HourStats, ...] = ()
    """The period: its whole days, and the hours of the days that it cuts."""
    waits: tuple[tuple[float, float], ...] = ()
    """(Begin in epoch seconds, longest wait in seconds) of every known hour, oldest first."""
    limit: int | None = None
    """The last known one."""


def hours_of(past: PoolHistory, current: HourStats | None, since: float, until: float) -> Hours:
    """The sums between two times (epoch seconds), from the records.

    Days are taken as they were added up when they ended: to unpack their hours takes ten times as long.
    """
    begin, end = _hours_of_period(since, until)
    days, others = finished_days(past)
    known = sorted((*days, *others, *((current,) if current else ())), key=lambda one: one.begins_at)
    sums, waits = list[DaySums | HourStats](), list[tuple[float, float]]()
    for one in known:
        if isinstance(one, HourStats):
            waits.append((one.begins_at, one.longest_wait_seconds or 0.0))
            sums += [one] if begin <= one.hour < end else []
            continue
        begins_at = one.begins_at
        waits += [(begins_at + at * HOUR_SECONDS, wait) for at, wait in enumerate(one.longest) if wait is not None]
        is_whole = begin <= one.first_hour and one.end_hour <= end
        sums += [one] if is_whole else hours_between(past, max(begin, one.first_hour), min(end, one.end_hour))
    limit = next((one.limit for one in reversed(known) if one.limit is not None), None)
    return Hours(tuple(sums), tuple(waits), limit)


def cells_of(past: PoolHistory, current: HourStats | None, since: float, until: float) -> tuple[HourStats, ...]:
    """Each hour between two times (epoch seconds), oldest first."""
    begin, end = _hours_of_period(since, until)
    return (*hours_between(past, begin, end), *((current,) if current and begin <= current.hour < end else ()))


def _hours_of_period(since: float, until: float) -> tuple[int, int]:
    """(the hour in which a period begins, the one after that in which it ends), in hours since the epoch."""
    return floor(since / HOUR_SECONDS), ceil(until / HOUR_SECONDS)
