"""Which days of a pool's past are asked for, and what their samples tell: nothing twice, nothing made up."""

from typing import Any

import pytest

from bot.core.pool.backfill import (
    DAY_SECONDS,
    ENOUGH_EMPTY,
    FIRST_PAUSE_SECONDS,
    LONGEST_PAUSE_SECONDS,
    SETTLED_SECONDS,
    STEP_SECONDS,
    Backfill,
    answered,
    failed,
    hours_of,
    newest_day,
    next_day_at,
    next_days,
    planned,
    span_of,
)
from bot.core.pool.history import KEPT_SECONDS, PoolHistory, finished, known_hours
from bot.core.pool.hour_stats import SIZE_EDGES, WAIT_EDGES, Amount, HourStats, quantile
from bot.core.pool.pool import Snapshot
from tests.builders import NOW, POOL, sample

TODAY = int(NOW // DAY_SECONDS)
YESTERDAY = TODAY - 1
NONE = Backfill(POOL)


def whole_day(day: int, **figures: Any) -> list[Snapshot]:
    """The samples of a day at the step that it is asked for in."""
    since, until = span_of(day)
    count = round((until - since) / STEP_SECONDS) + 1
    given: dict[str, Any] = {"arrivals_per_minute": 6.0, "oldest_wait_seconds": 40.0, **figures}
    return [sample(4, at=since + n * STEP_SECONDS, **given) for n in range(count)]


def measured(*hours: int, seconds: float = 3600.0) -> PoolHistory:
    """A past in which these hours were measured."""
    return finished(PoolHistory(POOL), tuple(HourStats(hour, 60, seconds, Amount(60.0, seconds)) for hour in hours))


def test_a_day_is_over_when_its_last_hour_has_had_time_to_be_written() -> None:
    midnight = TODAY * DAY_SECONDS
    assert newest_day(midnight + SETTLED_SECONDS - 1) == YESTERDAY - 1
    assert newest_day(midnight + SETTLED_SECONDS) == YESTERDAY
    assert next_day_at(midnight + SETTLED_SECONDS) == midnight + DAY_SECONDS + SETTLED_SECONDS
    assert next_day_at(midnight) == midnight + SETTLED_SECONDS


@pytest.mark.parametrize(
    ("hours", "seconds", "due"),
    [(range(24), 3600.0, False), (range(23), 3600.0, True), (range(24), 600.0, True), ((), 0.0, True)],
    ids=["measured", "an hour is lacking", "hardly measured", "not measured"],
)
def test_a_day_is_asked_for_when_an_hour_of_it_is_lacking(hours: tuple[int, ...], seconds: float, due: bool) -> None:
    past = measured(*(YESTERDAY * 24 + hour for hour in hours), seconds=seconds)
    assert (YESTERDAY in planned(NONE, past, NOW, KEPT_SECONDS).days) == due


def test_a_day_is_asked_for_once() -> None:
    fill = answered(planned(NONE, PoolHistory(POOL), NOW, KEPT_SECONDS), YESTERDAY, known=True)
    assert YESTERDAY not in fill.days
    assert YESTERDAY not in planned(fill, PoolHistory(POOL), NOW, KEPT_SECONDS).days
    later = planned(fill, PoolHistory(POOL), NOW + 60 * DAY_SECONDS, KEPT_SECONDS)
    assert later.closed == ()
    assert later.days[0] == YESTERDAY + 60


def test_an_empty_week_is_the_end() -> None:
    """What a source does not keep is not asked for again, also not tomorrow; a day with figures starts over."""
    fill = planned(NONE, PoolHistory(POOL), NOW, KEPT_SECONDS)
    for _ in range(ENOUGH_EMPTY - 1):
        fill = answered(fill, fill.days[0], known=False)
    assert fill.days
    assert answered(fill, fill.days[0], known=True).empty == 0
    fill = answered(fill, fill.days[0], known=False)
    assert fill.days == ()
    assert planned(fill, PoolHistory(POOL), NOW + DAY_SECONDS, KEPT_SECONDS).days == (TODAY,)


def test_a_failing_source_is_asked_ever_more_rarely() -> None:
    fill, pauses = planned(NONE, PoolHistory(POOL), NOW, KEPT_SECONDS), []
    fill = failed(fill, NOW)
    assert (fill.continue_at, next_days(fill)) == (NOW, (YESTERDAY,)), "one day may be answered where a week was not"
    for _ in range(10):
        fill = failed(fill, NOW)
        pauses.append(fill.continue_at - NOW)
    assert pauses[:3] == [FIRST_PAUSE_SECONDS, 2 * FIRST_PAUSE_SECONDS, 4 * FIRST_PAUSE_SECONDS]
    assert pauses[-1] == LONGEST_PAUSE_SECONDS
    assert fill.days[0] == YESTERDAY
    assert answered(fill, YESTERDAY, known=True).failures == 0


def test_a_day_of_samples_is_its_twenty_four_hours_and_no_more() -> None:
    cells = hours_of([YESTERDAY], whole_day(YESTERDAY, busy=3, limit=8))
    assert [cell.hour for cell in cells] == [YESTERDAY * 24 + n for n in range(24)]
    assert {(cell.samples, cell.covered_seconds) for cell in cells} == {(12, 3600.0)}
    assert {cell.arrivals for cell in cells} == {Amount(360.0, 3600.0)}
    assert {(cell.busy_most, cell.limit, cell.queued_most, cell.longest_wait_seconds) for cell in cells} == {
        (3, 8, 4, 40.0)
    }
    assert quantile(cells[0].waits, 1.0, WAIT_EDGES) == 60.0
    assert quantile(cells[0].sizes, 1.0, SIZE_EDGES) == 5.0


def test_what_the_source_does_not_know_stays_unknown() -> None:
    """A figure without a past has no seconds; a gap is bridged no longer than a sample stands; no hour is made up."""
    cells = hours_of([YESTERDAY], whole_day(YESTERDAY, arrivals_per_minute=None))
    assert {cell.arrivals for cell in cells} == {Amount()}
    gap = [one for one in whole_day(YESTERDAY) if not 3 * 3600 <= one.at - YESTERDAY * DAY_SECONDS <= 5.5 * 3600]
    known = {cell.hour % 24: cell.covered_seconds for cell in hours_of([YESTERDAY], gap)}
    assert 3 not in known
    assert 4 not in known
    assert (known[2], known[5]) == (3300.0, 2100.0)
    assert hours_of([YESTERDAY], whole_day(YESTERDAY)[:2]) == ()
    assert hours_of([YESTERDAY], ()) == ()


def test_known_hours_are_those_that_count() -> None:
    past = finished(measured(10, 11), (HourStats(12, 1, 899.0), HourStats(13, 1, 900.0)))
    assert known_hours(past) == {10, 11, 13}
