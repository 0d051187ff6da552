"""A report reads the sums of days, and finds in them what all hours would say."""

import random
from collections.abc import Sequence

import pytest

from bot.adapters.records import decode, encode
from bot.core.pool.history import KEPT_HOURS, PoolHistory, finished
from bot.core.pool.hour_stats import DaySums, HourStats, added
from bot.core.reporting.hours import cells_of, hours_of
from tests.core.pool.hours import FIRST, MONDAY, full, hour, weeks

DAY = 86400.0
HOUR = 3600.0


def lived(seed: int) -> tuple[HourStats, ...]:
    """Nine days with hours that were not measured and hours in which jobs waited."""
    dice = random.Random(seed)
    numbers = sorted(dice.sample(range(24 * 9), dice.choice((30, 150, 24 * 9))))
    return tuple(full(n, 60.0 * dice.randint(1, 90), dice.randint(1, 200)) if dice.random() < 0.3 else hour(n)
                 for n in numbers)  # fmt: skip


def told(sums: Sequence[DaySums | HourStats]) -> tuple[object, ...]:
    """What a report takes from the sums of a period."""
    histograms = [added([getattr(one, name) for one in sums]) for name in ("waits", "sizes", "waited")]
    return (
        sum(one.covered_seconds for one in sums),
        max((one.longest_wait_seconds or 0.0 for one in sums), default=0.0),
        max((one.queued_most or 0 for one in sums), default=0),
        *histograms,
    )


@pytest.mark.parametrize("seed", range(40))
def test_the_days_of_any_period_add_up_to_its_hours(seed: int) -> None:
    """However a period cuts its days, and in whatever order the hours were filled in."""
    cells, dice = lived(seed), random.Random(seed)
    *before, last = cells
    filled = dice.sample(before, len(before))
    past = PoolHistory("a")
    while filled:
        past, filled = finished(past, tuple(filled[:20])), filled[20:]
    past = decode(PoolHistory, "a", encode(past))
    since, until = sorted(MONDAY + dice.uniform(-DAY, 10 * DAY) for _ in range(2))
    found, inside = hours_of(past, last, since, until), cells_of(past, last, since, until)
    assert inside == tuple(cell for cell in cells if since - HOUR < cell.begins_at < until)
    assert told(found.sums) == told(inside)
    assert found.waits == tuple((cell.begins_at, cell.longest_wait_seconds) for cell in cells)
    assert found.limit == 40


def test_a_day_is_added_up_once_it_is_over_and_again_when_an_hour_of_it_is_filled_in() -> None:
    whole = weeks(3, lambda _, at: at == 9)
    first = finished(PoolHistory("a"), whole[:23])
    assert first.days == ()
    second = finished(first, whole[23:30])
    assert len(second.days) == 1
    late = finished(finished(PoolHistory("a"), (*whole[:9], *whole[10:30])), whole[9:10])
    assert late == second


def test_days_leave_with_their_first_hour() -> None:
    past = finished(PoolHistory("a"), tuple(hour(n) for n in range(KEPT_HOURS + 30)))
    (first, *_), waits = past.days, hours_of(past, None, 0.0, 2 * MONDAY).waits
    assert int(first.partition(";")[0]) * 24 == FIRST + 48
    assert (waits[0][0], len(waits)) == (MONDAY + 30 * HOUR, KEPT_HOURS)


def test_a_pool_without_a_past_has_none() -> None:
    assert not hours_of(PoolHistory("a"), None, MONDAY, MONDAY + DAY).waits
