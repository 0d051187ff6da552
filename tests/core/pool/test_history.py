"""Hours made of samples: what is known is added up, what is not stays unknown, and weeks foretell the coming hours."""

import random
from typing import Any

import pytest

from bot.adapters.records import decode, encode
from bot.core.pool.history import (
    AHEAD_HOURS,
    KEPT_HOURS,
    STANDS_SECONDS,
    HourStats,
    PoolHistory,
    entered,
    finished,
    last_day,
    remembered,
    usual_ahead,
)
from bot.core.pool.hour_stats import (
    SIZE_EDGES,
    WAIT_EDGES,
    Amount,
    ExpectedHour,
    added,
    quantile,
    share_above,
    with_weight,
)
from bot.core.pool.pool import Pool, Snapshot
from tests.builders import NOW, POOL, sample

HOUR = int(NOW // 3600)
BEGIN = HOUR * 3600.0


def lived(*samples: Snapshot) -> tuple[HourStats, ...]:
    """The hours of a run of samples, the last one being the hour that goes on."""
    cell, over = entered(None, None, samples)
    return (*over, cell) if cell else ()


def test_a_sample_stands_for_the_time_since_the_one_before_it() -> None:
    (cell,) = lived(
        sample(0, at=BEGIN + 60, arrivals_per_minute=9.0),
        sample(5, at=BEGIN + 120, arrivals_per_minute=2.0, starts_per_minute=1.0, busy=4, limit=8),
        sample(7, at=BEGIN + 240, arrivals_per_minute=3.0, starts_per_minute=1.5, busy=6, limit=8),
    )
    assert (cell.hour, cell.samples, cell.covered_seconds) == (HOUR, 3, 180.0)
    assert (cell.arrivals, cell.starts) == (Amount(8.0, 180.0), Amount(4.0, 180.0))
    assert (cell.busy, cell.busy_most, cell.limit, cell.queued_most) == (Amount(4 * 60 + 6 * 120, 180.0), 6, 8, 7)
    assert sum(cell.waits) == 180.0
    assert cell.waited == with_weight((), 3600.0, 4.0, WAIT_EDGES)
    assert cell.sizes == with_weight(with_weight((), 5, 60, SIZE_EDGES), 7, 120, SIZE_EDGES)


def test_unknown_figures_stay_unknown() -> None:
    """No seconds, no histogram, None: an hour of which nothing was known is not an hour in which nothing came."""
    (cell,) = lived(sample(None, at=BEGIN), sample(None, at=BEGIN + 60))
    assert cell == HourStats(HOUR, samples=2, covered_seconds=60.0)


def test_a_sample_across_the_hour_is_shared_between_both() -> None:
    """Each hour gets its own part, so no week has an hour with 61 minutes."""
    first, second = lived(*(sample(0, at=BEGIN + 3570 + 60 * n, arrivals_per_minute=6.0) for n in (-1, 0, 1)))
    assert (first.hour, second.hour) == (HOUR, HOUR + 1)
    assert (first.covered_seconds, second.covered_seconds) == (90.0, 30.0)
    assert (first.arrivals.total, second.arrivals.total) == (9.0, 3.0)
    assert (first.samples, second.samples) == (2, 1)


def test_a_gap_is_not_filled() -> None:
    first, second = lived(sample(0, at=BEGIN), sample(0, at=BEGIN + 10 * 3600 + 1800, arrivals_per_minute=1.0))
    assert (first.covered_seconds, second.hour, second.covered_seconds) == (0.0, HOUR + 10, STANDS_SECONDS)


def test_a_sample_that_is_not_newer_adds_nothing() -> None:
    one, again = sample(0, at=BEGIN), sample(0, at=BEGIN)
    assert lived(one, again)[-1].samples == 1


def test_a_pool_remembers_all_that_is_new_since_the_last_look() -> None:
    before = Pool(POOL, (sample(0, at=BEGIN),))
    after = Pool(POOL, (*before.samples, sample(0, at=BEGIN + 60), sample(0, at=BEGIN + 3660)))
    found, over = remembered(before, after)
    assert [cell.hour for cell in over] == [HOUR]
    assert found.hour is not None
    assert found.hour.hour == HOUR + 1
    again, none = remembered(found, found)
    assert (again, none) == (found, ())


def test_hours_come_back_from_the_record_as_they_were() -> None:
    """Through JSON, unknown figures and all."""
    whole = HourStats(HOUR, 60, 3600.0, Amount(120.0, 3600.0), Amount(60.5, 1800.0), Amount(), Amount(7200.0, 3600.0),
                 Amount(), 4, 8, 0, 45.0, (3000.0, 0.0, 600.0), (3600.0,), (60.5,))  # fmt: skip
    bare = HourStats(HOUR + 1, 1)
    past = finished(PoolHistory(POOL), (whole, bare))
    assert decode(PoolHistory, POOL, encode(past)).cells == (whole, bare)


def test_a_row_of_another_release_is_read_as_far_as_it_is_known() -> None:
    row = finished(PoolHistory(POOL), (HourStats(HOUR, 2, 60.0, Amount(5.0, 60.0)),)).rows[0]
    assert PoolHistory(POOL, (f"{row};9;9,9",)).cells == PoolHistory(POOL, (row,)).cells
    assert PoolHistory(POOL, (f"{HOUR};2",)).cells == (HourStats(HOUR, 2, 0),)


def test_six_weeks_are_kept_and_fit_into_one_record() -> None:
    """A busy pool's 1,008 hours stay under 200 kB; older hours leave."""
    dice = random.Random(7)
    samples = []
    for minute in range(0, (KEPT_HOURS + 30) * 60, 5):
        queued = int(dice.expovariate(1 / 20)) if dice.random() < 0.5 else 0
        rates: dict[str, Any] = {name: dice.uniform(0, 90) for name in ("arrivals_per_minute", "starts_per_minute")}
        wait = dice.uniform(0, 3000) if queued else 0.0
        busy = dice.randint(10, 90)
        samples.append(Snapshot(POOL, BEGIN + 60 * minute, queued, wait, busy=busy, limit=90, **rates))
    _, over = entered(None, None, samples)
    past = finished(PoolHistory(POOL), over)
    assert len(past.rows) == KEPT_HOURS
    assert past.cells[0].hour == past.cells[-1].hour - KEPT_HOURS + 1
    assert len(encode(past)) < 200_000


def cells(hour: int, *rates: float | None, seconds: float = 3600.0) -> tuple[HourStats, ...]:
    """The same hour of past weeks, the newest first, with so many arrivals a minute."""
    known = [(hour - 168 * (week + 1), rate) for week, rate in enumerate(rates) if rate is not None]
    return tuple(HourStats(at, 60, seconds, Amount(rate * seconds / 60, seconds)) for at, rate in known)


def test_two_comparable_weeks_foretell_an_hour_and_one_does_not() -> None:
    assert usual_ahead(finished(PoolHistory(POOL), cells(HOUR, 2.0)), HOUR) == ()
    assert usual_ahead(finished(PoolHistory(POOL), cells(HOUR, 2.0, 4.0, seconds=300)), HOUR) == ()
    assert usual_ahead(finished(PoolHistory(POOL), cells(HOUR, 2.0, 4.0)), HOUR) == (ExpectedHour(HOUR, 3.0, 2),)
    assert usual_ahead(finished(PoolHistory(POOL), cells(HOUR, 2.0, None, 4.0)), HOUR)[0].weeks == 2


def test_one_wild_week_is_no_habit() -> None:
    (usual,) = usual_ahead(finished(PoolHistory(POOL), cells(HOUR, 2.0, 2.0, 40.0)), HOUR)
    assert usual.arrivals_per_minute == pytest.approx(8 / 3)


def test_the_coming_hours_are_foretold_one_by_one() -> None:
    weeks = tuple(c for h in range(HOUR - 1, HOUR + AHEAD_HOURS + 2) for c in cells(h, float(h % 5), float(h % 5)))
    found = usual_ahead(finished(PoolHistory(POOL), weeks), HOUR)
    assert [one.hour for one in found] == list(range(HOUR, HOUR + AHEAD_HOURS))
    middle = sum((float((HOUR + n) % 5)) * (2 if n == 0 else 1) for n in (-1, 0, 1)) / 4
    assert found[0].arrivals_per_minute == pytest.approx(middle)


def test_the_busiest_hours_of_a_day_are_not_its_one_largest_push() -> None:
    rates = [1.0] * 18 + [3.0] * 5 + [30.0]
    hours = tuple(HourStats(HOUR - 24 + n, 60, 3600.0, Amount(60 * rate, 3600.0)) for n, rate in enumerate(rates))
    day = last_day(finished(PoolHistory(POOL), hours), HOUR)
    assert day is not None
    assert day.most_per_minute == pytest.approx((5 * 3.0 + 30.0) / 6)


def test_quantiles_and_shares_of_histograms() -> None:
    waits = with_weight(with_weight((), 20.0, 50.0, WAIT_EDGES), 90_000.0, 50.0, WAIT_EDGES)
    assert [quantile(waits, share, WAIT_EDGES) for share in (0.0, 0.25, 0.5)] == [30.0] * 3
    assert [quantile(waits, share, (*WAIT_EDGES, 95_000.0)) for share in (0.51, 0.9, 1.0)] == [95_000.0] * 3
    assert share_above(waits, 3600.0, WAIT_EDGES) == 0.5
    assert quantile((), 0.5, WAIT_EDGES) is None
    assert share_above((), 1.0, WAIT_EDGES) is None
    assert added([(1.0, 2.0), (3.0,), ()]) == (4.0, 2.0)
