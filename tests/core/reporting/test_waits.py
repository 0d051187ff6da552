"""The columns of the report that tell how long jobs waited, from hours whose waits are known by class."""

import pytest

from bot.core.pool.hour_stats import WAIT_EDGES, counted, share_above
from bot.core.pool.pool import PoolRules
from bot.core.reporting.summary import ReportData, Waits, report
from bot.core.statement import statement
from tests.builders import POOL
from tests.core.pool.hours import MONDAY, full, hour


def waits(*of_hours: float, target: float = 900.0) -> Waits:
    """What the report says of hours whose oldest job had waited that long all the time."""
    cells = tuple(hour(number, wait, 5) for number, wait in enumerate(of_hours))
    data = ReportData(
        MONDAY, MONDAY + 3600.0 * len(cells), pasts={POOL: cells}, rules={POOL: PoolRules(POOL)}, target_seconds=target
    )
    (one,) = report(data).pools
    assert one.waits is not None
    return one.waits


def test_half_nine_in_ten_and_nearly_all_of_the_time() -> None:
    """A hundred hours: 60 calm, 35 with a wait of an hour, five with one of six."""
    found = waits(*[0.0] * 60, *[3600.0] * 35, *[21600.0] * 5)
    assert found.p50_seconds <= 30
    assert 2700 < found.p90_seconds <= 3600
    assert 14400 < found.p99_seconds <= 21600
    assert found.over_share == pytest.approx(0.4)


def test_a_wait_that_never_changed_is_the_bound_of_every_share_of_the_time() -> None:
    """The wait was never shorter than 13 min: "at most 12 min for half of the time" would be untrue."""
    found = waits(*[780.0] * 10)
    assert [found.p50_seconds, found.p90_seconds, found.p99_seconds] == [780.0] * 3
    found = waits(*[780.0] * 10, 100_000.0)
    assert [found.p50_seconds, found.p90_seconds, found.p99_seconds] == [900.0, 900.0, 100_000.0]


def test_nineteen_of_twenty_jobs_not_half_of_them() -> None:
    """Ten hours with as many jobs each: nine calm ones, and one in which the oldest waited an hour."""
    found = waits(*[0.0] * 9, 3600.0)
    assert found.jobs_p95_seconds is not None
    assert 2700 < found.jobs_p95_seconds <= 3600


def test_what_is_over_the_target_lies_wholly_above_it() -> None:
    histogram = counted(counted((), 900.0, 3.0, WAIT_EDGES), 901.0, 1.0, WAIT_EDGES)
    assert share_above(histogram, 900.0, WAIT_EDGES) == 0.25
    assert share_above((), 900.0, WAIT_EDGES) is None
    assert waits(900.0, 1000.0).over_share == 0.5


def test_a_target_within_a_class_is_not_taken_for_kept() -> None:
    """All waits are 27 min, in the class from 20 to 30: a target of 25 min was missed, one of 27 min was kept."""
    assert waits(*[1620.0] * 4, target=1500.0).over_share == pytest.approx(120 / 420)
    assert waits(*[1620.0] * 4, target=1620.0).over_share == 0.0


def test_a_week_without_an_alert_is_told_where_somebody_waited_too_long() -> None:
    for cells, told in (((hour(0, 3600.0, 5),), True), ((hour(0),), False)):
        made = report(ReportData(MONDAY, MONDAY + 3600.0, pasts={POOL: cells}))
        assert (made.pools[0].has_news, made.has_news) == (told, told)


def test_the_limit_is_reckoned_for_the_eight_pools_whose_jobs_waited_most() -> None:
    pasts = {f"p{n}": (hour(0), full(1, queued=120 - 10 * n)) for n in range(9)}
    made = report(ReportData(MONDAY, MONDAY + 7200.0, pasts=pasts))
    assert [one.sized for one in made.pools[8:]] == [statement("not_among_worst", pools=8)]
    assert "not_among_worst" not in str([one.sized for one in made.pools[:8]])
