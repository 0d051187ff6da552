"""Builders of a pool's hours: calm ones, and ones in which jobs waited."""

from collections.abc import Callable, Iterable
from typing import Any

from bot.core.pool.hour_stats import SIZE_EDGES, WAIT_EDGES, Amount, HourStats, with_weight

MONDAY = 1_799_625_600.0
"""2027-01-11 00:00 UTC, a Monday."""
FIRST = int(MONDAY // 3600)


def hour(number: int, wait: float = 0.0, queued: int = 0, **parts: Any) -> HourStats:
    """One fully measured hour, `number` hours after MONDAY; 30 of 40 runners at work, 180 jobs of 10 min."""
    given: dict[str, Any] = {
        "samples": 60,
        "covered_seconds": 3600.0,
        "arrivals": Amount(180.0, 3600.0),
        "completions": Amount(180.0, 3600.0),
        "busy": Amount(30 * 3600.0, 3600.0),
        "duration": Amount(600 * 3600.0, 3600.0),
        "busy_most": 30,
        "limit": 40,
        "queued_most": queued,
        "longest_wait_seconds": wait,
        "waits": with_weight((), wait, 3600.0, WAIT_EDGES),
        "sizes": with_weight((), queued, 3600.0, SIZE_EDGES),
        "waited": with_weight((), wait, 180.0, WAIT_EDGES),
    }
    return HourStats(FIRST + number, **{**given, **parts})


def full(number: int, wait: float = 3600.0, queued: int = 120, **parts: Any) -> HourStats:
    """An hour in which all 40 runners were at work, 300 jobs came, and they waited."""
    busy: dict[str, Any] = {
        "busy": Amount(40 * 3600.0, 3600.0),
        "busy_most": 40,
        "arrivals": Amount(300.0, 3600.0),
        "completions": Amount(240.0, 3600.0),
    }
    return hour(number, wait, queued, **{**busy, **parts})


def weeks(days: int, bad: Callable[[int, int], bool], make: Callable[[int], HourStats] = full) -> tuple[HourStats, ...]:
    """So many days from MONDAY on; `bad(day, hour)` says in which hours jobs waited."""
    numbers: Iterable[int] = range(24 * days)
    return tuple(make(n) if bad(n // 24, n % 24) else hour(n) for n in numbers)
