"""What past weeks do for a forecast: a lull or a rush that every week has is walked into; a single look is not one."""

from dataclasses import replace
from typing import Any

import pytest

from bot.core.forecast.drain import arriving_at
from bot.core.forecast.flow import Flow, flow_of, usual_at
from bot.core.forecast.forecast import forecast
from bot.core.forecast.more_runners import Terms, what_if
from bot.core.forecast.outlook import Verdict
from bot.core.pool.hour_stats import Baseline
from bot.core.pool.pool import PoolRules, Snapshot
from tests.builders import NOW, POOL, sample

HOUR = int(NOW // 3600)
RULES = PoolRules(POOL)
FULL: dict[str, Any] = {
    "busy": 40,
    "idle": 0,
    "limit": 40,
    "booting": 0,
    "arrivals_per_minute": 4.2,
    "completions_per_minute": 4.0,
    "starts_per_minute": 4.0,
    "duration_p50_seconds": 536.0,
    "usual_arrivals_per_minute": 4.2,
}
SERIES: list[Snapshot] = [sample(60, at=NOW + 60 * minute, **FULL) for minute in range(-20, 1)]
"""A full pool to which a little more comes than it can do, as every day at this hour."""


def ahead(*rates: float, spread: float = 0.1) -> tuple[Baseline, ...]:
    """What past weeks had in this hour and the next ones; the last rate goes on."""
    return tuple(Baseline(HOUR + n, rates[min(n, len(rates) - 1)], spread, 4) for n in range(14))


def flow(*rates: float) -> Flow:
    """The flow with these habits."""
    found = flow_of(tuple(SERIES), RULES, ahead(*rates))
    assert isinstance(found, Flow)
    return found


def test_a_lull_that_every_week_has_lets_the_queue_clear() -> None:
    """From the samples alone nothing can be hoped for; the past weeks know that it is soon evening."""
    assert forecast(SERIES, RULES).verdict is not Verdict.CLEARS
    evening = forecast(SERIES, RULES, ahead=ahead(4.2, 3.0, 1.0))
    assert evening.verdict is Verdict.CLEARS
    assert evening.mid_seconds is not None
    assert 40 * 60 < evening.mid_seconds < 180 * 60


def test_a_rush_that_every_week_has_is_foretold() -> None:
    """It drains now, and the morning comes."""
    calm = [replace(one, arrivals_per_minute=3.0, usual_arrivals_per_minute=3.0) for one in SERIES]
    assert forecast(calm, RULES).verdict is Verdict.CLEARS
    assert forecast(calm, RULES, ahead=ahead(3.0, 7.0)).verdict is not Verdict.CLEARS


def test_what_is_above_the_habit_now_is_not_hoped_away() -> None:
    """Three times the habit of a flat week: only people who stop pushing would clear it, and that is no ground."""
    high = [replace(one, arrivals_per_minute=6.0) for one in SERIES]
    assert forecast(high, RULES, ahead=ahead(2.0)).verdict is not Verdict.CLEARS


def test_arrivals_go_back_to_the_habit_of_the_hour() -> None:
    """What is above it now fades within about two hours."""
    found = flow(4.2, 2.0)
    assert arriving_at(found, 0.0) == pytest.approx(found.arrivals)
    assert arriving_at(found, 600.0) == pytest.approx(2.0, abs=0.1)
    assert arriving_at(replace(found, arrivals=0.0, lasts=True), 600.0) == 0.0


def test_between_two_hours_the_habit_lies_on_a_line() -> None:
    """From the middle of one hour to the middle of the next; beyond both ends it stays."""
    habits = flow(4.0, 2.0, 6.0).habits
    assert [habit.minute for habit in habits[:2]] == [30.0, 90.0]
    assert usual_at(habits, 0.0) == 4.0
    assert usual_at(habits, 60.0) == pytest.approx(3.0)
    assert usual_at(habits, 120.0) == pytest.approx(4.0)
    assert usual_at(habits, 1e6) == 6.0


def test_habits_of_another_time_are_no_habits() -> None:
    """What was laid out long ago, or begins only later, says nothing of now."""
    assert flow_of(tuple(SERIES), RULES, ahead(1.0)[5:]) == flow_of(tuple(SERIES), RULES)


def test_more_runners_are_judged_by_the_same_habits() -> None:
    """The table knows the evening too."""
    plain = what_if(SERIES, RULES, {5}, Terms()).options[0]
    evening = what_if(SERIES, RULES, {5}, Terms(ahead=ahead(4.2, 3.0, 1.0))).options[0]
    assert plain.mid_seconds is None or evening.mid_seconds is not None
    assert evening.mid_seconds is not None
    assert evening.mid_seconds < (plain.mid_seconds or 1e9)
