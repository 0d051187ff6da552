"""What people read of forecasts is steady: it counts down, and changes only when newer forecasts clearly disagree."""

import random
from dataclasses import replace

import pytest

from bot.core.pool.outlook import Forecast, Verdict
from bot.core.pool.steady_forecast import SteadyForecast, steadied

HOUR = 3600.0


def made(minute: float, mid: float, verdict: Verdict = Verdict.INTERVAL) -> Forecast:
    """A forecast of so many seconds: four in five within a factor of 3, half within 1.5."""
    return Forecast(
        60 * minute, verdict, 9, mid / 3, mid, 3 * mid, lower_seconds=mid / 1.5, upper_seconds=1.5 * mid, today=0.9
    )


def after(*forecasts: Forecast) -> SteadyForecast:
    held: SteadyForecast | None = None
    for one in forecasts:
        held = steadied(held, one)
    assert held is not None
    return held


@pytest.mark.parametrize("seed", range(20))
def test_noise_does_not_move_the_end_that_was_said(seed: int) -> None:
    dice = random.Random(seed)
    noisy = (made(minute, (2 * HOUR - 60 * minute) * dice.uniform(0.55, 1.9)) for minute in range(1, 60))
    shown = after(made(0, 2 * HOUR), *noisy).forecast
    assert (shown.at, shown.mid_seconds) == (59 * 60, 2 * HOUR - 59 * 60)


def test_only_a_new_middle_half_beyond_what_was_said_replaces_it_and_both_are_said() -> None:
    near, late = made(1, 2.5 * HOUR), made(1, 6 * HOUR)
    assert after(made(0, HOUR), near).forecast.mid_seconds == HOUR - 60
    assert after(made(0, HOUR), late) == SteadyForecast(late, was=made(0, HOUR))
    soon = made(1, HOUR / 9)
    assert after(made(0, HOUR), soon).forecast == soon
    calm = after(made(0, HOUR), late, made(2, 6 * HOUR))
    assert calm.was == made(0, HOUR)


def test_a_branch_does_not_count_down() -> None:
    """A trouble that lasts is no closer to its end."""
    kind = Verdict.UNTIL_REPAIRED
    held = after(made(0, HOUR, kind), made(30, HOUR, kind))
    assert held.forecast.mid_seconds == HOUR


def test_another_kind_needs_ten_minutes_and_no_trend_gives_way_at_once() -> None:
    grows = [made(minute, 12 * HOUR, Verdict.GROWING) for minute in (1, 6, 11)]
    assert after(made(0, HOUR), *grows[:2]).forecast.verdict is Verdict.INTERVAL
    assert after(made(0, HOUR), *grows).forecast.verdict is Verdict.GROWING
    assert after(made(0, HOUR), grows[0], made(3, HOUR), *grows[1:]).forecast.verdict is Verdict.INTERVAL
    assert after(made(0, HOUR, Verdict.NONE), made(1, HOUR)).forecast == made(1, HOUR)


def test_the_advice_is_as_steady_as_the_forecast() -> None:
    """An effect near a tenth is above it in one sample and below it in the next."""
    helps, not_ = (replace(made(0, HOUR), added=10, times_faster=times) for times in (1.2, 1.05))
    turns = [replace(one, at=60.0 * n) for n in range(1, 30) for one in [(helps, not_)[n % 2]]]
    assert after(helps, *turns).forecast.helped is True
    assert after(helps, *(replace(not_, at=60.0 * n) for n in range(1, 12))).forecast.helped is False


def test_repeating_changes_nothing_and_without_a_queue_nothing_is_said() -> None:
    held = after(made(0, HOUR), made(1, 2.5 * HOUR))
    assert steadied(held, made(1, 2.5 * HOUR)) == held
    assert steadied(held, None) is None
