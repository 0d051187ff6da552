"""A pool's history: six weeks of hours, made from samples, and the expectation for coming hours."""

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import groupby
from statistics import median

from bot.core.known import most
from bot.core.pool.hour_stats import (
    DAY_HOURS,
    HOUR_SECONDS,
    SIZE_EDGES,
    WAIT_EDGES,
    Amount,
    DayStats,
    DaySums,
    ExpectedHour,
    day_of,
    with_weight,
)
from bot.core.pool.hour_stats import HourStats as HourStats  # noqa: PLC0414 - a part of the past, known by this name
from bot.core.pool.pool import Pool, Snapshot

WEEK_HOURS = 168
KEPT_HOURS = 6 * WEEK_HOURS
"""Origin: judgement; six weeks show the weekly course."""
KEPT_SECONDS = KEPT_HOURS * HOUR_SECONDS
STANDS_SECONDS = 600.0
"""A sample represents the time since the previous one, up to this; a longer gap stays unknown.

Origin: sources average their rates over ten minutes.
"""
LEAST_WEEKS = 2
"""Weeks that must know an hour before it is used."""
LEAST_KNOWN_SECONDS = 900.0
"""An hour with less known time does not count. Origin: judgement; a quarter of it."""
AHEAD_HOURS = 14
"""How far ahead expectations reach. Origin: a little more than the 12 h of a forecast."""
OUTLIER = 2.0
"""A week counts as this many times the median at most, because an incident is not usual."""

FIELDS = 16
"""Origin: the parts of a row of the record."""


@dataclass(frozen=True, slots=True)
class PoolHistory:
    """A pool's finished hours, oldest first; the current hour is in `Pool.hour`.

    Written once an hour by the process that measures the pool.
    """

    id: str
    """The pool."""
    rows: tuple[str, ...] = ()
    """One finished hour each, in `_row` format; JSON objects would be five times as large."""
    days: tuple[str, ...] = ()
    """The sums of one finished day each, in `_day_row` format: a report unpacks these, and few hours."""

    @property
    def cells(self) -> tuple[HourStats, ...]:
        """The finished hours, oldest first; unmeasured hours are absent."""
        return tuple(_cell(row) for row in self.rows)


def hours_between(past: PoolHistory, since: int, until: int) -> tuple[HourStats, ...]:
    """The finished hours from `since` to before `until`, in hours since the epoch."""
    first, end = (bisect_left(past.rows, hour, key=_hour) for hour in (since, until))
    return tuple(_cell(row) for row in past.rows[first:end])


def finished_days(past: PoolHistory) -> tuple[tuple[DaySums, ...], tuple[HourStats, ...]]:
    """(the finished days, the hours before and after them), oldest first."""
    days = tuple(_day(row) for row in past.days)
    if not days:
        return (), past.cells
    first, end = (bisect_left(past.rows, hour, key=_hour) for hour in (days[0].first_hour, days[-1].end_hour))
    return days, tuple(_cell(row) for row in (*past.rows[:first], *past.rows[end:]))


def known_hours(past: PoolHistory) -> frozenset[int]:
    """The sufficiently known hours."""
    return frozenset(_hour(row) for row in past.rows if float(row.split(";", 3)[2]) >= LEAST_KNOWN_SECONDS)


def finished(past: PoolHistory, cells: tuple[HourStats, ...]) -> PoolHistory:
    """Add finished hours, and the days that end with them; hours six weeks older than the newest are dropped."""
    if not cells:
        return past
    rows = {_hour(row): row for row in past.rows} | {cell.hour: _row(cell) for cell in cells}
    oldest, end = max(rows) - KEPT_HOURS + 1, max(rows) + 1
    kept = {hour: rows[hour] for hour in sorted(rows) if hour >= oldest}
    summed = {_hour(row): row for row in past.days if _hour(row) * DAY_HOURS >= oldest}
    changed = {cell.hour // DAY_HOURS for cell in cells}
    for day, hours in groupby(kept, lambda hour: hour // DAY_HOURS):
        if (day + 1) * DAY_HOURS <= end and day * DAY_HOURS >= oldest and (day in changed or day not in summed):
            summed[day] = _day_row(day_of([_cell(kept[hour]) for hour in hours]))
    return replace(past, rows=tuple(kept.values()), days=tuple(summed[day] for day in sorted(summed)))


def entered(
    cell: HourStats | None, before: Snapshot | None, samples: Iterable[Snapshot]
) -> tuple[HourStats | None, tuple[HourStats, ...]]:
    """(the hour that goes on, the hours that are over) after more samples; `before` is the sample before them.

    A sample that is not newer adds nothing.
    """
    over: list[HourStats] = []
    for sample in samples:
        last, before = before, sample
        hour = int(sample.at // HOUR_SECONDS)
        if cell is not None and (hour < cell.hour or (last is not None and sample.at <= last.at)):
            continue
        stands = 0.0 if last is None else min(sample.at - last.at, STANDS_SECONDS)
        if cell is None or hour > cell.hour:
            early = max(0.0, stands - (sample.at - hour * HOUR_SECONDS))
            if cell is not None:
                over.append(_more(cell, sample, early, 0) if early and cell.hour == hour - 1 else cell)
            stands, cell = stands - early, HourStats(hour)
        cell = _more(cell, sample, stands, 1)
    return cell, tuple(over)


def remembered(before: Pool, after: Pool) -> tuple[Pool, tuple[HourStats, ...]]:
    """(`after` with the current hour, finished hours), from samples newer than `before`."""
    last = before.latest
    new = (sample for sample in after.samples if last is None or sample.at > last.at)
    cell, over = entered(before.hour, last, new)
    return replace(after, hour=cell), over


def _more(cell: HourStats, sample: Snapshot, seconds: float, samples: int) -> HourStats:
    """The hour with a sample that represents so many seconds; `samples` is 0 if the next hour counts it."""
    wait, queued = sample.oldest_wait_seconds, sample.queued
    started = (sample.starts_per_minute or 0.0) * seconds / 60
    return replace(
        cell,
        samples=cell.samples + samples,
        covered_seconds=min(HOUR_SECONDS, cell.covered_seconds + seconds),
        arrivals=_plus(cell.arrivals, sample.arrivals_per_minute, seconds, 1 / 60),
        starts=_plus(cell.starts, sample.starts_per_minute, seconds, 1 / 60),
        squares=_plus(cell.squares, None if (rate := sample.arrivals_per_minute) is None else rate**2, seconds),
        completions=_plus(cell.completions, sample.completions_per_minute, seconds, 1 / 60),
        busy=_plus(cell.busy, sample.busy, seconds),
        duration=_plus(cell.duration, sample.duration_p50_seconds, seconds),
        busy_most=most((cell.busy_most, sample.busy)),
        limit=most((cell.limit, sample.limit)),
        queued_most=most((cell.queued_most, queued)),
        longest_wait_seconds=most((cell.longest_wait_seconds, wait)),
        waits=cell.waits if wait is None else with_weight(cell.waits, wait, seconds, WAIT_EDGES),
        sizes=cell.sizes if queued is None else with_weight(cell.sizes, queued, seconds, SIZE_EDGES),
        waited=with_weight(cell.waited, wait, started, WAIT_EDGES) if wait is not None and started > 0 else cell.waited,
    )


def _plus(amount: Amount, figure: float | None, seconds: float, by: float = 1.0) -> Amount:
    return amount if figure is None else Amount(amount.total + figure * seconds * by, amount.seconds + seconds)


def usual_ahead(past: PoolHistory, hour: int) -> tuple[ExpectedHour, ...]:
    """Expected values for `hour` and later, from up to six past weeks, else from the days before; absent without any.

    Neighbouring hours count half as much, because habits shift by an hour.
    """
    hours = range(hour - 1, hour + AHEAD_HOURS + 1)
    near, daily = {ahead % WEEK_HOURS for ahead in hours}, {ahead % DAY_HOURS for ahead in hours}
    rows = ((at, row) for row in past.rows if (at := _hour(row)) % DAY_HOURS in daily)
    known = ((at, _arrived(row)) for at, row in rows if at % WEEK_HOURS in near or hour - at <= WEEK_HOURS)
    rates = {at: 60 * came.total / came.seconds for at, came in known if came.seconds >= LEAST_KNOWN_SECONDS}
    found = (_usual(rates, ahead) for ahead in range(hour, hour + AHEAD_HOURS))
    return tuple(usual for usual in found if usual is not None)


def weeks_known_at(past: PoolHistory, now: float) -> float:
    """When the present hour of the week is first known from enough weeks, if the measuring goes on; epoch seconds."""
    known = (_hour(row) for row in past.rows if _arrived(row).seconds >= LEAST_KNOWN_SECONDS)
    first = min(known, default=int(now // HOUR_SECONDS))
    return max(now, (first + LEAST_WEEKS * WEEK_HOURS) * HOUR_SECONDS)


def last_day(past: PoolHistory, hour: int) -> DayStats | None:
    """The statistics of the 24 hours before `hour`; None if fewer than twelve are known."""
    day = (_cell(row) for row in past.rows if 0 < hour - _hour(row) <= DAY_HOURS)
    cells = [cell for cell in day if cell.covered_seconds >= LEAST_KNOWN_SECONDS]
    if len(cells) < DAY_HOURS / 2:
        return None
    rates = [60 * c.arrivals.total / c.arrivals.seconds for c in cells if c.arrivals.seconds]
    both = [c for c in cells if c.busy.seconds and c.completions.seconds]
    busy = sum(c.busy.total / c.busy.seconds for c in both)
    ended = sum(c.completions.total / c.completions.seconds for c in both)
    busiest = sorted(rates)[-max(1, len(rates) // 4) :]
    return DayStats(
        sum(rates) / len(rates) if rates else None,
        sum(busiest) / len(busiest) if busiest else None,
        busy / ended if busy and ended else None,
    )


def _usual(rates: dict[int, float], hour: int) -> ExpectedHour | None:
    weeks = [w for w in range(hour - WEEK_HOURS, hour - KEPT_HOURS - 1, -WEEK_HOURS) if w in rates]
    days = [] if len(weeks) >= LEAST_WEEKS else [d for d in range(hour - DAY_HOURS, hour - WEEK_HOURS, -DAY_HOURS)
                                                 if d in rates]  # fmt: skip
    if len(weeks) < LEAST_WEEKS and not days:
        return None
    each = []
    for week in days or weeks:
        near = [rates[week]] * 2 + [rates[n] for n in (week - 1, week + 1) if n in rates]
        each.append(sum(near) / len(near))
    most = OUTLIER * max(median(each), 0.05)  # origin: three jobs an hour
    calm = [min(rate, most) for rate in each]
    return ExpectedHour(hour, sum(calm) / len(calm), 0 if days else len(calm), len(days))


def _hour(row: str) -> int:
    """The hour of a row, or the day of one of a day."""
    return int(row.partition(";")[0])


def _arrived(row: str) -> Amount:
    """The jobs that arrived, of a row."""
    fields = row.split(";", 4)
    return _summed(fields[3], int(fields[2] or 0)) if len(fields) > 3 else Amount()  # origin: a place in a row


def _row(cell: HourStats) -> str:
    """The fields separated by `;`; empty means unknown, or zero in a histogram."""
    numbers = (cell.hour, cell.samples, round(cell.covered_seconds))
    amounts = (cell.arrivals, cell.starts, cell.completions, cell.busy, cell.duration)
    bounds = (cell.busy_most, cell.limit, cell.queued_most, cell.longest_wait_seconds)
    histograms = (cell.waits, cell.sizes, cell.waited)
    return ";".join((
        *map(str, numbers),
        *(_amount(amount, cell.covered_seconds) for amount in amounts),
        *("" if bound is None else str(round(bound)) for bound in bounds),
        *(_histogram(weights) for weights in histograms),
        _amount(cell.squares, cell.covered_seconds),
    ))  # fmt: skip


def _amount(amount: Amount, covered: float) -> str:
    """The seconds are omitted if they cover the whole hour."""
    if not amount.seconds:
        return ""
    seconds = round(amount.seconds)
    return _short(amount.total) if seconds == round(covered) else f"{_short(amount.total)},{seconds}"


def _short(value: float) -> str:
    """One decimal below a hundred, else none."""
    return f"{value:.0f}" if value >= 100 or value == round(value) else f"{value:.1f}"  # origin: as its docstring says


def _cell(row: str) -> HourStats:
    """Parse a row; fields of a newer release are ignored, missing ones are unknown."""
    fields = (*row.split(";"), *[""] * FIELDS)[:FIELDS]
    hour, samples, covered = (int(field or 0) for field in fields[:3])
    arrivals, starts, completions, busy, duration = (_summed(field, covered) for field in fields[3:8])
    busy_most, limit, queued_most, longest = (int(field) if field else None for field in fields[8:12])
    waits, sizes, waited = (_numbers(field) for field in fields[12:15])
    squares = _summed(fields[15], covered)
    return HourStats(
        hour, samples, covered, arrivals, starts, completions, busy, duration,
        busy_most, limit, queued_most, longest, waits, sizes, waited, squares,
    )  # fmt: skip


def _day_row(day: DaySums) -> str:
    """The fields separated by `;`, as in `_row`."""
    bounds = (day.limit, day.queued_most)
    return ";".join((
        str(day.day),
        str(round(day.covered_seconds)),
        *("" if bound is None else str(bound) for bound in bounds),
        *(_histogram(weights) for weights in (day.waits, day.sizes, day.waited)),
        ",".join("" if wait is None else _short(wait) for wait in day.longest),
    ))  # fmt: skip


def _day(row: str) -> DaySums:
    number, covered, limit, most_queued, waits, sizes, waited, longest = row.split(";")
    return DaySums(
        int(number), float(covered), int(limit) if limit else None, int(most_queued) if most_queued else None,
        _numbers(waits), _numbers(sizes), _numbers(waited),
        tuple(float(wait) if wait else None for wait in longest.split(",")),
    )  # fmt: skip


def _histogram(weights: tuple[float, ...]) -> str:
    return ",".join(_short(weight) if weight else "" for weight in weights)


def _summed(field: str, covered: float) -> Amount:
    return Amount(*(*_numbers(field), covered)[:2]) if field else Amount()


def _numbers(field: str) -> tuple[float, ...]:
    return tuple(float(number or 0) for number in field.split(",")) if field else ()
