"""Replays of recorded hours, and the fewest runners that they need."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from bot.core.reporting.staffing import (
    DRAWS,
    FEW_JOBS,
    MARGIN,
    Demand,
    Stretch,
    drawn,
    fewest_runners,
    late_share,
    late_shares,
    smallest_enough,
)
from tests.core.fleet_weeks import HOUR

TARGET = 900.0


def hours(*arrivals: float, hold: float = 600.0, since: float = 0.0) -> list[Demand]:
    return [Demand(since + number * HOUR, jobs, hold) for number, jobs in enumerate(arrivals)]


@pytest.mark.parametrize("seed", range(5))
def test_more_runners_are_never_later(seed: int) -> None:
    arrivals = [(37 * (seed + 3) * (hour + 1)) % 190 + 1.0 for hour in range(10)]
    stretch = [Stretch(tuple(hours(*arrivals, since=seed * 1e6)), 1)]
    shares = [late_shares(stretch, TARGET)(runners) for runners in range(60)]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] == 1.0
    assert shares[-1] < 1e-6
    by_target = [late_shares(stretch, target)(25) for target in (60, 600, 6000)]
    assert by_target == sorted(by_target, reverse=True)


def replayed(demands: list[Demand], runners: int, lead: int = 0) -> float:
    return late_share(*drawn(Stretch(tuple(demands), lead)), runners, TARGET)


def test_a_replay_carries_over_what_is_left() -> None:
    demands = hours(6, 120, 30)
    assert replayed(demands, 12, lead=2) > 0.5
    assert replayed(demands[2:], 12) == 0.0


def test_a_replay_is_the_same_each_time_and_counts_what_follows_its_lead() -> None:
    """The jobs are drawn from the hour itself; hours that lead in fill the runners and are not counted."""
    demands = hours(200, 200, 5)
    assert replayed(demands, 30) == replayed(demands, 30)
    assert replayed(demands, 30, lead=3) == 0.0
    assert replayed([], 30) == 0.0


@pytest.mark.parametrize("jobs", [150.0, FEW_JOBS / 4])
def test_the_fewest_are_enough_and_one_less_is_not(jobs: float) -> None:
    """For 5 % more work than there was, in every draw."""
    stretch = Stretch(tuple(hours(60, *[jobs] * 5)), 1)
    found = fewest_runners([stretch], TARGET)
    more = replace(stretch, hours=tuple(replace(d, hold_seconds=MARGIN * d.hold_seconds) for d in stretch.hours))
    draws = [late_shares([more], TARGET, draw) for draw in range(DRAWS if 60 + 5 * jobs <= FEW_JOBS else 1)]
    assert max(missed(found) for missed in draws) <= 0.05
    assert max(missed(found - 1) for missed in draws) > 0.05


def test_without_jobs_one_runner_is_enough() -> None:
    assert fewest_runners([], TARGET) == 1
    assert late_shares([Stretch(tuple(hours(0)))], TARGET)(1) == 0.0


def short_of(needed: int) -> Callable[[int], float]:
    """All is missed below that number, and nothing from it on."""
    return lambda number: float(number < needed)


def test_the_smallest_number_is_found_wherever_it_lies() -> None:
    for needed in (1, 2, 3, 7, 64, 65, 1000):
        for guess in (1, 2, 60, 64, 65, 66, 5000):
            assert smallest_enough(short_of(needed), 0.05, guess) == needed
