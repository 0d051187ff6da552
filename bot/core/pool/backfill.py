"""The weeks before Tailback measured a pool: which days its source is asked for, and what their samples tell."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from bot.core.pool.history import LEAST_KNOWN_SECONDS, PoolHistory, entered, known_hours
from bot.core.pool.hour_stats import HOUR_SECONDS, HourStats
from bot.core.pool.pool import Snapshot

STEP_SECONDS = 300.0
"""How far apart the samples are that a day is asked for in."""
DAY_HOURS = 24
DAY_SECONDS = DAY_HOURS * HOUR_SECONDS
SETTLED_SECONDS = 3600.0
"""A day counts as over so long after its end: by then its last hour, as it was measured, stands in the past."""
ENOUGH_EMPTY = 7
"""After so many days in a row of which a source knows nothing, it is not asked for older ones."""
FIRST_PAUSE_SECONDS = 300.0
LONGEST_PAUSE_SECONDS = 6 * 3600.0


@dataclass(frozen=True, slots=True)
class Backfill:
    """What was asked of a pool's source about the past; days are counted from the epoch and are days of UTC."""

    id: str
    """The pool."""
    newest: int | None = None
    """The newest day that was over when it was last seen which days are lacking."""
    reach_seconds: float = 0.0
    """How far back was looked then."""
    days: tuple[int, ...] = ()
    """The days that are still to be asked for, newest first."""
    asked: tuple[int, ...] = ()
    """The days that are not asked for again: those that were, and those that were given up."""
    empty: int = 0
    """How many of the last answers, in a row, told nothing."""
    failures: int = 0
    """Questions in a row that were not answered."""
    filled_at: float = 0.0
    """When hours were last added (epoch seconds)."""
    look_at: float = 0.0
    """When there is something to do next (epoch seconds)."""


def newest_day(now: float) -> int:
    """The newest day that is over and settled."""
    return int((now - SETTLED_SECONDS) // DAY_SECONDS) - 1


def next_day_at(now: float) -> float:
    """When one more day is over and settled; epoch seconds."""
    return (newest_day(now) + 2) * DAY_SECONDS + SETTLED_SECONDS


def planned(fill: Backfill, past: PoolHistory, now: float, reach_seconds: float) -> Backfill:
    """The record with the days to ask for: those within reach that lack an hour and were not asked for before."""
    newest, oldest = newest_day(now), int((now - reach_seconds) // DAY_SECONDS)
    known = known_hours(past)
    asked = tuple(day for day in fill.asked if day >= oldest)
    days = (day for day in range(newest, oldest - 1, -1) if day not in asked and lacking(day, known))
    return replace(fill, newest=newest, reach_seconds=reach_seconds, days=tuple(days), asked=asked, empty=0)


def lacking(day: int, known: frozenset[int]) -> frozenset[int]:
    """The hours of a day of which too little is known, counted from the epoch."""
    return frozenset(range(day * DAY_HOURS, (day + 1) * DAY_HOURS)) - known


def span_of(day: int) -> tuple[float, float]:
    """From when to when samples are asked for: one step before the day, so that its first sample stands for one too."""
    return day * DAY_SECONDS - STEP_SECONDS, (day + 1) * DAY_SECONDS


def date(day: int) -> str:
    """`2026-11-21`."""
    return f"{datetime.fromtimestamp(day * DAY_SECONDS, UTC):%Y-%m-%d}"


def hours_of(day: int, samples: Iterable[Snapshot]) -> tuple[HourStats, ...]:
    """The hours of a day as its samples tell them; those of which they say too little to count are left out.

    What lies between two samples is not known: rates and shares of time are fair, the highest figures of an hour are
    those that were seen.
    """
    cell: HourStats | None = None
    before: Snapshot | None = None
    over: list[HourStats] = []
    for sample in samples:
        cell, ended = entered(cell, before, sample)
        before, over = sample, [*over, *ended]
    made = [*over, cell] if cell else over
    mine = (one for one in made if one.hour // DAY_HOURS == day)
    return tuple(one for one in mine if one.covered_seconds >= LEAST_KNOWN_SECONDS)


def answered(fill: Backfill, day: int, *, told: bool) -> Backfill:
    """The record after an answer; when a week in a row was empty, the days before it are given up."""
    empty = 0 if told else fill.empty + 1
    rest = tuple(one for one in fill.days if one != day)
    asked = (day, *fill.asked)
    if empty >= ENOUGH_EMPTY:
        rest, asked = (), (*asked, *rest)
    return replace(fill, days=rest, asked=asked, empty=empty, failures=0)


def failed(fill: Backfill, now: float) -> Backfill:
    """The record after a question that was not answered: the same is asked later, and ever more rarely."""
    pause = min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2.0 ** min(fill.failures, 10))
    return replace(fill, failures=fill.failures + 1, look_at=now + pause)
