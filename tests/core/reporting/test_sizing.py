"""A limit is named where the record carries one; else it is said what is missing, or what else held the queue."""

from collections.abc import Sequence
from typing import Any

import pytest

from bot.core.pool.hour_stats import Amount, HourStats
from bot.core.reporting.sizing import NeededLimit, needed_limit, over_target
from bot.core.statement import Statement, statement
from tests.core.pool.hours import full, hour

TARGET = 900.0
NOTHING = Amount()


def bad(**parts: Any) -> list[HourStats]:
    return [hour(0), *(full(number, **parts) for number in (1, 2, 3)), hour(4)]


def test_the_limit_that_would_have_kept_the_target() -> None:
    """300 jobs an hour of 10 min are 50 erlangs; 40 runners miss the target, 52 with what is to spare keep it."""
    found = needed_limit(bad(), TARGET)
    assert isinstance(found, NeededLimit)
    assert found.limit == 40
    assert 49 <= found.runners <= 54
    assert found.late_share <= 0.05
    assert found.late_now > 0.5
    assert (found.hours, found.jobs) == (3, 900)
    assert found.hold_seconds == pytest.approx(600)


@pytest.mark.parametrize(
    ("cells", "why"),
    [
        ([hour(0), hour(1)], statement("nobody_waited", seconds=900.0)),
        ([], statement("nobody_waited", seconds=900.0)),
        ([hour(0, limit=None), full(1, limit=None)], statement("limit_unknown")),
        (bad(completions=NOTHING, duration=NOTHING), statement("durations_unknown")),
        (bad(busy=NOTHING), statement("busy_unknown")),
        (bad(busy=Amount(20 * 3600.0, 3600.0), busy_most=20), statement("limit_not_binding", share=0.5)),
        (bad(arrivals=NOTHING), statement("arrivals_unknown", unknown=1, stretches=1)),
        (bad(arrivals=Amount(20.0, 600.0)), statement("arrivals_unknown", unknown=1, stretches=1)),
        (bad(arrivals=Amount(150.0, 3600.0)), statement("would_do", limit=40)),
    ],
    ids=["calm", "empty", "limit", "times", "busy", "not full", "arrivals", "few arrivals", "not explained"],
)
def test_no_number_without_what_it_takes(cells: Sequence[HourStats], why: Statement) -> None:
    assert needed_limit(cells, TARGET) == why


def test_the_place_of_a_runner_is_kept_while_the_next_one_boots() -> None:
    """When only 80 % of the limit work while jobs wait all the time, a job keeps its place for 12.5 min, not 10."""
    found = needed_limit(bad(busy=Amount(32 * 3600.0, 3600.0), completions=Amount(192.0, 3600.0)), TARGET)
    assert isinstance(found, NeededLimit)
    assert found.hold_seconds == pytest.approx(750)
    assert found.runners > 62


def test_a_boot_longer_than_the_target_makes_every_limit_useless() -> None:
    """80 % of 40 at work and 60 min jobs: a new runner takes 15 min."""
    slow = bad(busy=Amount(32 * 3600.0, 3600.0), completions=Amount(32.0, 3600.0), arrivals=Amount(40.0, 3600.0))
    found = needed_limit(slow, 600.0)
    assert isinstance(found, Statement)
    assert found.id == "boot_too_long"
    assert found.values["seconds"] == pytest.approx(900.0)


def test_without_completions_durations_serve() -> None:
    found = needed_limit(bad(completions=NOTHING), TARGET)
    assert isinstance(found, NeededLimit)
    assert found.hold_seconds == pytest.approx(1.6 * 600)


def test_a_limit_raised_meanwhile_is_the_present_one() -> None:
    """The newest is what a proposal starts from: with 60 the same jobs would not have waited."""
    found = needed_limit([*bad(), hour(9, limit=60)], TARGET)
    assert found == statement("would_do", limit=60)


def test_an_hour_is_over_the_target_when_somebody_waited_longer() -> None:
    assert not over_target(hour(0, 900.0), TARGET)
    assert over_target(hour(0, 901.0), TARGET)
    assert not over_target(HourStats(0), TARGET)
