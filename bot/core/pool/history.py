"""The pool's own past: six weeks of hours, how samples become hours, and what the same hours of past weeks foretell."""

from dataclasses import dataclass, replace
from statistics import median, pstdev

from bot.core.pool.hour_stats import HOUR_SECONDS, SIZE_EDGES, WAIT_EDGES, Amount, Baseline, counted
from bot.core.pool.hour_stats import HourStats as HourStats  # noqa: PLC0414 - a part of the past, known by this name
from bot.core.pool.pool import Pool, Snapshot

WEEK_HOURS = 168
KEPT_HOURS = 6 * WEEK_HOURS
KEPT_SECONDS = KEPT_HOURS * HOUR_SECONDS
STANDS_SECONDS = 600.0
"""A sample stands for the time since the one before it, at most that long; a longer gap stays unknown."""
MONDAY_HOURS = 72
"""The epoch began on a Thursday: so many hours after a Monday, 00:00 UTC."""
LEAST_WEEKS = 2
"""So many weeks must know an hour before they foretell it."""
LEAST_KNOWN_SECONDS = 900.0
"""An hour of which less is known does not count as known."""
AHEAD_HOURS = 14
"""How far ahead the past is laid out: a little more than a forecast reaches."""
OUTLIER = 2.0
"""A week that had more than that many times the median of the weeks counts as so many: an incident is not a habit."""

FIELDS = 15


@dataclass(frozen=True, slots=True)
class PoolHistory:
    """The record of a pool's finished hours, oldest first; the hour that goes on is `Pool.hour` until it is over.

    Written once an hour, by whoever measures the pool. `cells_of` gives both together.
    """

    id: str
    """The pool."""
    rows: tuple[str, ...] = ()
    """One finished hour each, as `_row` writes it: six weeks of JSON objects would be five times as large."""

    @property
    def cells(self) -> tuple[HourStats, ...]:
        """The finished hours, oldest first; hours in which nothing was measured are absent."""
        return tuple(_cell(row) for row in self.rows)


def cells_of(past: PoolHistory | None, pool: Pool | None) -> tuple[HourStats, ...]:
    """All that is known of a pool's hours, oldest first, with the one that goes on as the last."""
    known = past.cells if past else ()
    return known if pool is None or pool.hour is None else (*known, pool.hour)


def hour_of_week(hour: int) -> int:
    """0 to 167 from Monday 00:00 UTC, of an hour counted from the epoch."""
    return (hour + MONDAY_HOURS) % WEEK_HOURS


def known_hours(past: PoolHistory) -> frozenset[int]:
    """The hours of which enough is known to count."""
    return frozenset(_hour(row) for row in past.rows if _covered(row) >= LEAST_KNOWN_SECONDS)


def finished(past: PoolHistory, cells: tuple[HourStats, ...]) -> PoolHistory:
    """The past with more finished hours; what is older than six weeks before the newest is dropped."""
    if not cells:
        return past
    rows = {_hour(row): row for row in past.rows} | {cell.hour: _row(cell) for cell in cells}
    newest = max(rows)
    return replace(past, rows=tuple(rows[hour] for hour in sorted(rows) if hour > newest - KEPT_HOURS))


def entered(
    cell: HourStats | None, before: Snapshot | None, sample: Snapshot
) -> tuple[HourStats, tuple[HourStats, ...]]:
    """(the hour that goes on, the hours that are over) after one more sample; `before` is the sample before it.

    A sample that is not newer adds nothing.
    """
    hour = int(sample.at // HOUR_SECONDS)
    if cell is not None and (hour < cell.hour or (before is not None and sample.at <= before.at)):
        return cell, ()
    stands = 0.0 if before is None else min(sample.at - before.at, STANDS_SECONDS)
    over: tuple[HourStats, ...] = ()
    if cell is None or hour > cell.hour:
        begun = hour * HOUR_SECONDS
        early = max(0.0, stands - (sample.at - begun))
        if cell is not None:
            over = (_more(cell, sample, early) if early and cell.hour == hour - 1 else cell,)
        stands, cell = stands - early, HourStats(hour)
    return replace(_more(cell, sample, stands), samples=cell.samples + 1), over


def remembered(before: Pool, after: Pool) -> tuple[Pool, tuple[HourStats, ...]]:
    """(`after` with the hour that goes on, the hours that are over): what is new since `before` is entered."""
    last, cell = before.latest, before.hour
    over: tuple[HourStats, ...] = ()
    for sample in after.samples:
        if last is None or sample.at > last.at:
            cell, ended = entered(cell, last, sample)
            last, over = sample, (*over, *ended)
    return replace(after, hour=cell), over


def _more(cell: HourStats, sample: Snapshot, seconds: float) -> HourStats:
    """The hour with a sample that stands for so many seconds of it."""
    wait, queued = sample.oldest_wait_seconds, sample.queued
    started = _jobs(sample.starts_per_minute, seconds)
    known = wait is not None and started > 0
    return replace(
        cell,
        covered_seconds=min(HOUR_SECONDS, cell.covered_seconds + seconds),
        arrivals=_plus(cell.arrivals, sample.arrivals_per_minute, seconds, 1 / 60),
        starts=_plus(cell.starts, sample.starts_per_minute, seconds, 1 / 60),
        completions=_plus(cell.completions, sample.completions_per_minute, seconds, 1 / 60),
        busy=_plus(cell.busy, sample.busy, seconds),
        duration=_plus(cell.duration, sample.duration_p50_seconds, seconds),
        busy_most=_most(cell.busy_most, sample.busy),
        limit=_most(cell.limit, sample.limit),
        queued_most=_most(cell.queued_most, queued),
        longest_wait_seconds=wait if cell.longest_wait_seconds is None else max(cell.longest_wait_seconds, wait or 0.0),
        waits=cell.waits if wait is None else counted(cell.waits, wait, seconds, WAIT_EDGES),
        sizes=cell.sizes if queued is None else counted(cell.sizes, queued, seconds, SIZE_EDGES),
        waited=counted(cell.waited, wait, started, WAIT_EDGES) if known and wait is not None else cell.waited,
    )


def _plus(amount: Amount, figure: float | None, seconds: float, by: float = 1.0) -> Amount:
    return amount if figure is None else Amount(amount.total + figure * seconds * by, amount.seconds + seconds)


def _jobs(per_minute: float | None, seconds: float) -> float:
    return 0.0 if per_minute is None else per_minute * seconds / 60


def _most(one: int | None, other: int | None) -> int | None:
    known = [value for value in (one, other) if value is not None]
    return max(known) if known else None


def usual_ahead(past: PoolHistory, hour: int) -> tuple[Baseline, ...]:
    """What the same hours of up to six past weeks foretell for `hour` and those after it; without two weeks, absent.

    Neighbouring hours count half as much as the hour itself: people's days shift by an hour, and chance evens out.
    """
    rates = {
        cell.hour: 60 * cell.arrivals.total / cell.arrivals.seconds
        for cell in past.cells
        if cell.arrivals.seconds >= LEAST_KNOWN_SECONDS
    }
    found = (_usual(rates, ahead) for ahead in range(hour, hour + AHEAD_HOURS))
    return tuple(usual for usual in found if usual is not None)


def _usual(rates: dict[int, float], hour: int) -> Baseline | None:
    weeks = [w for w in range(hour - WEEK_HOURS, hour - KEPT_HOURS - 1, -WEEK_HOURS) if w in rates]
    if len(weeks) < LEAST_WEEKS:
        return None
    each = []
    for week in weeks:
        near = [rates[week]] * 2 + [rates[n] for n in (week - 1, week + 1) if n in rates]
        each.append(sum(near) / len(near))
    most = OUTLIER * max(median(each), 0.05)
    calm = [min(rate, most) for rate in each]
    return Baseline(hour, sum(calm) / len(calm), pstdev(calm), len(calm))


def _hour(row: str) -> int:
    return int(row.partition(";")[0])


def _covered(row: str) -> float:
    return float(row.split(";", 3)[2])


def _row(cell: HourStats) -> str:
    """The fields in their order, parted by `;`; nothing stands for unknown, and for zero in a histogram."""
    numbers = (cell.hour, cell.samples, round(cell.covered_seconds))
    amounts = (cell.arrivals, cell.starts, cell.completions, cell.busy, cell.duration)
    bounds = (cell.busy_most, cell.limit, cell.queued_most, cell.longest_wait_seconds)
    histograms = (cell.waits, cell.sizes, cell.waited)
    return ";".join((
        *map(str, numbers),
        *(_amount(amount, cell.covered_seconds) for amount in amounts),
        *("" if bound is None else str(round(bound)) for bound in bounds),
        *(",".join(_short(weight) if weight else "" for weight in histogram) for histogram in histograms),
    ))  # fmt: skip


def _amount(amount: Amount, covered: float) -> str:
    """The seconds are left out where they are all that the cell covers."""
    if not amount.seconds:
        return ""
    seconds = round(amount.seconds)
    return _short(amount.total) if seconds == round(covered) else f"{_short(amount.total)},{seconds}"


def _short(value: float) -> str:
    """One decimal below a hundred, else none: what a person could tell apart."""
    return f"{value:.0f}" if value >= 100 or value == round(value) else f"{value:.1f}"


def _cell(row: str) -> HourStats:
    """The hour of a row; fields that a newer release added are left out, those that an older one lacked are unknown."""
    fields = (*row.split(";"), *[""] * FIELDS)[:FIELDS]
    hour, samples, covered = (int(field or 0) for field in fields[:3])
    arrivals, starts, completions, busy, duration = (
        Amount(*(*_numbers(f), covered)[:2]) if f else Amount() for f in fields[3:8]
    )
    busy_most, limit, queued_most, longest = (int(field) if field else None for field in fields[8:12])
    waits, sizes, waited = (_numbers(field) for field in fields[12:])
    return HourStats(
        hour, samples, covered, arrivals, starts, completions, busy, duration,
        busy_most, limit, queued_most, longest, waits, sizes, waited,
    )  # fmt: skip


def _numbers(field: str) -> tuple[float, ...]:
    return tuple(float(number or 0) for number in field.split(",")) if field else ()
