"""Plans which past days are requested from a pool's source, and summarises their samples."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from bot.core.pool.history import LEAST_KNOWN_SECONDS, PoolHistory, entered, known_hours
from bot.core.pool.hour_stats import HOUR_SECONDS, HourStats
from bot.core.pool.pool import Snapshot

STEP_SECONDS = 300.0
"""Step of the requested samples."""
DAY_HOURS = 24
DAY_SECONDS = DAY_HOURS * HOUR_SECONDS
SETTLED_SECONDS = 3600.0
"""A day counts as over this long after its end, when its last hour is in the history."""
ENOUGH_EMPTY = 7
"""After this many empty days in a row, older ones are not requested."""
FIRST_PAUSE_SECONDS = 300.0
LONGEST_PAUSE_SECONDS = 6 * 3600.0


@dataclass(frozen=True, slots=True)
class Backfill:
    """A pool's requested history; days are UTC days since the epoch."""

    id: str
    """The pool."""
    newest: int | None = None
    """The newest finished day at the last planning."""
    reach_seconds: float = 0.0
    """How far back the planning went."""
    days: tuple[int, ...] = ()
    """The days still to request, newest first."""
    asked: tuple[int, ...] = ()
    """The days that are not requested again: done or given up."""
    empty: int = 0
    failures: int = 0
    """Failed requests in a row."""
    filled_at: float = 0.0
    """When hours were last added (epoch seconds)."""
    look_at: float = 0.0
    """When to continue (epoch seconds)."""


def newest_day(now: float) -> int:
    """The newest finished day."""
    return int((now - SETTLED_SECONDS) // DAY_SECONDS) - 1


def next_day_at(now: float) -> float:
    """When the next day is finished; epoch seconds."""
    return (newest_day(now) + 2) * DAY_SECONDS + SETTLED_SECONDS


def planned(fill: Backfill, past: PoolHistory, now: float, reach_seconds: float) -> Backfill:
    """The record with the days to request: those in reach that lack an hour and were not requested."""
    newest, oldest = newest_day(now), int((now - reach_seconds) // DAY_SECONDS)
    known = known_hours(past)
    asked = tuple(day for day in fill.asked if day >= oldest)
    days = (day for day in range(newest, oldest - 1, -1) if day not in asked and lacking(day, known))
    return replace(fill, newest=newest, reach_seconds=reach_seconds, days=tuple(days), asked=asked, empty=0)


def lacking(day: int, known: frozenset[int]) -> frozenset[int]:
    """The insufficiently known hours of a day, counted from the epoch."""
    return frozenset(range(day * DAY_HOURS, (day + 1) * DAY_HOURS)) - known


def span_of(day: int) -> tuple[float, float]:
    """The requested time span: from one step before the day, so that its first sample covers one."""
    return day * DAY_SECONDS - STEP_SECONDS, (day + 1) * DAY_SECONDS


def date(day: int) -> str:
    """`2026-11-21`."""
    return f"{datetime.fromtimestamp(day * DAY_SECONDS, UTC):%Y-%m-%d}"


def hours_of(day: int, samples: Iterable[Snapshot]) -> tuple[HourStats, ...]:
    """The hours of a day from its samples, without those that are known too little.

    Values between two samples are unknown: rates and shares are accurate, and the maxima are those of the samples.
    """
    cell, over = entered(None, None, samples)
    made = (*over, cell) if cell else over
    mine = (one for one in made if one.hour // DAY_HOURS == day)
    return tuple(one for one in mine if one.covered_seconds >= LEAST_KNOWN_SECONDS)


def answered(fill: Backfill, day: int, *, known: bool) -> Backfill:
    """The record after a response; after an empty week, earlier days are given up."""
    empty = 0 if known else fill.empty + 1
    rest = tuple(one for one in fill.days if one != day)
    asked = (day, *fill.asked)
    if empty >= ENOUGH_EMPTY:
        rest, asked = (), (*asked, *rest)
    return replace(fill, days=rest, asked=asked, empty=empty, failures=0)


def failed(fill: Backfill, now: float) -> Backfill:
    """The record after a failed request: the same one is repeated later, with growing pauses."""
    pause = min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2.0 ** min(fill.failures, 10))
    return replace(fill, failures=fill.failures + 1, look_at=now + pause)
