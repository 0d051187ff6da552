"""A report reads of a history what it needs, and finds the same in it as in all of its hours."""

from bot.core.pool.history import PoolHistory, finished
from bot.core.reporting.hours import hours_in, hours_of
from tests.core.pool.hours import MONDAY, weeks

DAY = 86400.0


def test_the_records_give_the_same_hours_as_all_of_them_read() -> None:
    cells = weeks(28, lambda day, at: day % 7 < 5 and at in (9, 10))
    past, since, until = finished(PoolHistory("a"), cells), MONDAY + 21 * DAY, MONDAY + 28 * DAY
    assert hours_of(past, None, since, until, 900.0) == hours_in(past.cells, since, until, 900.0)
    assert any(over for _, over in hours_of(past, None, since, until, 900.0).over)


def test_the_current_hour_comes_last() -> None:
    *before, last = weeks(2, lambda day, at: at == 9)
    past, until = finished(PoolHistory("a"), tuple(before)), MONDAY + 2 * DAY
    found = hours_of(past, last, MONDAY, until, 900.0)
    assert (found.cells[-1], found.over[-1][0], len(found.over)) == (last, last.begins_at, 48)


def test_a_pool_without_a_past_has_none() -> None:
    assert not hours_of(PoolHistory("a"), None, MONDAY, MONDAY + DAY, 900.0).over
