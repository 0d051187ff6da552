"""Plans which past days are requested from a pool's source, and summarises their samples."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from bot.core.pool.history import LEAST_KNOWN_SECONDS, PoolHistory, entered, known_hours
from bot.core.pool.hour_stats import HOUR_SECONDS, HourStats
from bot.core.pool.pool import Pool, Snapshot, slimmed
from bot.core.pool.retention import kept

STEP_SECONDS = 300.0
"""Step of the requested samples. Origin: `THIN_SECONDS`, the distance at which older samples are kept."""
LEFT = ("history:days", "history:pools")
"""The indexes with the progress, for `/readyz` and `tailback check`."""
MOST_DAYS = 7
"""Days of one request. Origin: 2,016 samples of a figure; Prometheus refuses 11,000."""
RECENT_DAYS = 14  # origin: two weeks are what early warnings need
DAY_HOURS = 24
DAY_SECONDS = DAY_HOURS * HOUR_SECONDS
SETTLED_SECONDS = 3600.0
"""A day counts as over this long after its end, when its last hour is in the history."""
ENOUGH_EMPTY = 7
"""After this many empty days in a row, older ones are not requested. Origin: a week; every weekday was asked for."""
FIRST_PAUSE_SECONDS = 300.0
"""Origin: judgement; a source that is away comes back within minutes or within hours."""
LONGEST_PAUSE_SECONDS = 6 * 3600.0
"""Origin: judgement; a source that is away comes back within minutes or within hours."""


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
    closed: tuple[int, ...] = ()
    """The days that are not requested again: done or given up."""
    empty: int = 0
    failures: int = 0
    """Failed requests in a row."""
    filled_at: float = 0.0
    """When hours were last added (epoch seconds)."""
    continue_at: float = 0.0
    """When to continue (epoch seconds)."""
    singly: bool = False
    """Whether its source is asked for one day at a time, because it did not answer for several."""


@dataclass(frozen=True, slots=True)
class DaysLeft:
    """How much history is still to be requested, of all pools."""

    days: int
    pools: int


def joined(pool: Pool, past: tuple[Snapshot, ...]) -> Pool:
    """The record with samples from the source's history before its newest one; the pool's own samples win."""
    older = (sample for sample in past if not pool.latest or sample.at < pool.latest.at)
    samples = {sample.at: sample for sample in (*map(slimmed, older), *pool.samples)}
    return replace(pool, samples=kept([samples[at] for at in sorted(samples)]))


def days_left(days: str | None, pools: str | None) -> DaysLeft | None:
    """From the values of the two indexes; None if nothing is left, or nobody has looked yet."""
    known = DaysLeft(int(days or 0), int(pools or 0))
    return known if known.days else None


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
    closed = tuple(day for day in fill.closed if day >= oldest)
    days = (day for day in range(newest, oldest - 1, -1) if day not in closed and lacking(day, known))
    return replace(fill, newest=newest, reach_seconds=reach_seconds, days=tuple(days), closed=closed, empty=0)


def lacking(day: int, known: frozenset[int]) -> frozenset[int]:
    """The insufficiently known hours of a day, counted from the epoch."""
    return frozenset(range(day * DAY_HOURS, (day + 1) * DAY_HOURS)) - known


def span_of(newest: int, oldest: int | None = None) -> tuple[float, float]:
    """The requested time span of a day, or of several: from one step before, so that the first sample covers one."""
    return (newest if oldest is None else oldest) * DAY_SECONDS - STEP_SECONDS, (newest + 1) * DAY_SECONDS


def next_days(fill: Backfill) -> tuple[int, ...]:
    """The days of the next request, newest first: at most a week in a row, and one where several were not answered."""
    first, most = fill.days[0], 1 if fill.failures or fill.singly else MOST_DAYS
    return tuple(day for place, day in enumerate(fill.days[:most]) if day == first - place)


def recent(fill: Backfill) -> bool:
    """Whether the next days are of the last two weeks, which early warnings and usual hours need first."""
    return fill.newest is not None and bool(fill.days) and fill.days[0] > fill.newest - RECENT_DAYS


def date(day: int) -> str:
    """`2026-11-21`."""
    return f"{datetime.fromtimestamp(day * DAY_SECONDS, UTC):%Y-%m-%d}"


def hours_of(days: Collection[int], samples: Iterable[Snapshot]) -> tuple[HourStats, ...]:
    """The hours of some days from their samples, without those that are known too little.

    Values between two samples are unknown: rates and shares are accurate, and the maxima are those of the samples.
    """
    cell, over = entered(None, None, samples)
    made = (*over, cell) if cell else over
    mine = (one for one in made if one.hour // DAY_HOURS in days)
    return tuple(one for one in mine if one.covered_seconds >= LEAST_KNOWN_SECONDS)


def answered(fill: Backfill, day: int, *, known: bool) -> Backfill:
    """The record after a response; after an empty week, earlier days are given up."""
    empty = 0 if known else fill.empty + 1
    rest = tuple(one for one in fill.days if one != day)
    closed = (day, *fill.closed)
    if empty >= ENOUGH_EMPTY:
        rest, closed = (), (*closed, *rest)
    return replace(fill, days=rest, closed=closed, empty=empty, failures=0)


def failed(fill: Backfill, now: float) -> Backfill:
    """The record after a failed request: the same one is repeated later, with growing pauses."""
    doublings = min(fill.failures, 10)  # origin: far above the longest pause, and no overflow
    pause = min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2.0**doublings)
    if len(next_days(fill)) > 1:  # one day may be answered at once
        return replace(fill, singly=True, continue_at=now)
    return replace(fill, failures=fill.failures + 1, continue_at=now + pause)
