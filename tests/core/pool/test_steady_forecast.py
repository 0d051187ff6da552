"""What people read of forecasts is steady: it counts down, and changes only when newer forecasts clearly disagree."""

import random

import pytest

from bot.core.pool.outlook import Forecast, Verdict
from bot.core.pool.steady_forecast import SteadyForecast, steadied

HOUR = 3600.0


def made(minute: float, mid: float, verdict: Verdict = Verdict.INTERVAL) -> Forecast:
    """A forecast of so many seconds."""
    return Forecast(60 * minute, verdict, 9, mid / 3, mid, 3 * mid)


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
    said = after(made(0, 2 * HOUR), *noisy).forecast
    assert (said.at, said.mid_seconds) == (59 * 60, 2 * HOUR - 59 * 60)


def test_three_in_a_row_or_one_beyond_the_bounds_replace_what_was_said() -> None:
    late = [made(minute, 2.5 * HOUR) for minute in (1, 2, 3)]
    assert after(made(0, HOUR), *late[:2]).forecast.mid_seconds == HOUR - 120
    assert after(made(0, HOUR), late[0], made(1.5, HOUR), *late[1:]).forecast.mid_seconds == HOUR - 180
    assert after(made(0, HOUR), *late).forecast == late[2]
    assert after(made(0, HOUR), made(1, 4 * HOUR)).forecast.mid_seconds == 4 * HOUR
    assert after(made(0, HOUR), made(1, HOUR / 9)).forecast.mid_seconds == HOUR / 9


def test_not_before_counts_down_only_as_far_as_newer_forecasts_support_it() -> None:
    """A queue that does not move is no closer to its end after half an hour."""
    bounds = [
        made(minute, mid, Verdict.AT_LEAST) for minute, mid in ((0, 2.0 * HOUR), (10, 2.2 * HOUR), (20, 2.1 * HOUR))
    ]
    assert after(*bounds).forecast.low_seconds == bounds[0].low_seconds
    nearer = after(*bounds, made(40, 1.8 * HOUR, Verdict.AT_LEAST)).forecast
    assert (nearer.low_seconds, nearer.mid_seconds) == (0.6 * HOUR, 1.8 * HOUR)
    other = [made(minute, 2 * HOUR) for minute in range(21, 90)]
    assert after(*bounds, *other).forecast.low_seconds == bounds[0].low_seconds
    drains = after(*bounds, made(40, 1.2 * HOUR, Verdict.AT_LEAST)).forecast
    assert drains.mid_seconds == 2 * HOUR - 20 * 60


def test_another_kind_needs_three_measurements_too_and_no_trend_gives_way_at_once() -> None:
    grows = [made(minute, 12 * HOUR, Verdict.GROWING) for minute in (1, 2, 3)]
    assert after(made(0, HOUR), *grows[:2]).forecast.verdict is Verdict.INTERVAL
    assert after(made(0, HOUR), *grows).forecast.verdict is Verdict.GROWING
    assert after(made(0, HOUR, Verdict.NONE), made(1, HOUR)).forecast == made(1, HOUR)


def test_repeating_changes_nothing_and_without_a_queue_nothing_is_said() -> None:
    held = after(made(0, HOUR), made(1, 2.5 * HOUR))
    assert steadied(held, made(1, 2.5 * HOUR)) == held
    assert steadied(held, None) is None
