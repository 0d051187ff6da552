"""Erlang's formulas against published values, replays, and the fewest runners against the fleet really run so."""

import math
from collections.abc import Callable
from dataclasses import replace

import pytest

from bot.core.reporting.staffing import (
    MARGIN,
    MOST_REPLAYED,
    Demand,
    Replay,
    StaffingMethod,
    Stretch,
    erlang_b,
    erlang_c,
    fewest,
    late,
    late_by_theory,
    late_shares,
    least,
)
from tests.core.fleet_weeks import HOUR

TARGET = 900.0


def hours(*arrivals: float, hold: float = 600.0, since: float = 0.0) -> list[Demand]:
    """Hours in a row with so many jobs each."""
    return [Demand(since + number * HOUR, jobs, hold) for number, jobs in enumerate(arrivals)]


@pytest.mark.parametrize(
    ("runners", "load", "blocked"),
    [(1, 1.0, 0.5), (2, 1.0, 0.2), (5, 1.361, 0.01), (10, 4.461, 0.01), (20, 12.03, 0.01), (100, 84.06, 0.01)],
)
def test_the_loss_formula_has_its_published_values(runners: int, load: float, blocked: float) -> None:
    """The loads that lose 1 % stand in every Erlang B table (R. B. Cooper, 1981, appendix; ITU-D handbook, table E)."""
    assert erlang_b(runners, load) == pytest.approx(blocked, rel=2e-3)


@pytest.mark.parametrize(
    ("runners", "load", "waits"),
    [(1, 0.8, 0.8), (2, 1.0, 1 / 3), (3, 2.0, 4 / 9), (8, 5.0, 0.1673), (10, 6.0, 0.1013), (10, 8.0, 0.4092)],
)
def test_the_delay_formula_has_its_textbook_values(runners: int, load: float, waits: float) -> None:
    """M/M/1 waits as often as it works; M/M/3 at load 2 is the eye clinic of Gross and Harris (p0 = 1/9, C = 4/9)."""
    assert erlang_c(runners, load) == pytest.approx(waits, rel=1e-3)


def test_the_eye_clinic_of_gross_and_harris() -> None:
    """Three doctors, 6 patients an hour, 20 min each: the mean wait is 4/27 h, so `late` integrates to it."""
    clinic = Demand(0.0, 6.0, 1200.0)
    mean = sum(late(3, clinic, minute * 60.0 + 30.0) * 60 for minute in range(600))
    assert mean == pytest.approx(4 / 27 * HOUR, rel=1e-3)


@pytest.mark.parametrize(
    ("runners", "demand", "share"),
    [
        (1, Demand(0.0, 3.0, 600.0), 0.5 * math.exp(-0.5 * TARGET / 600.0)),
        (2, Demand(0.0, 0.0, 600.0), 0.0),
        (0, Demand(0.0, 0.0, 600.0), 0.0),
        (0, Demand(0.0, 1.0, 600.0), 1.0),
        (5, Demand(0.0, 30.0, 600.0), 1.0),
        (5, Demand(0.0, 60.0, 600.0), 1.0),
        (3, Demand(0.0, 9.0, 0.0), 0.0),
    ],
)
def test_who_waits_longer_than_the_target(runners: int, demand: Demand, share: float) -> None:
    """M/M/1 in closed form; no jobs, no runners, more work than runners, jobs that take no time."""
    assert late(runners, demand, TARGET) == pytest.approx(share)


@pytest.mark.parametrize("method", StaffingMethod)
@pytest.mark.parametrize("seed", range(5))
def test_more_runners_are_never_later(method: StaffingMethod, seed: int) -> None:
    arrivals = [(37 * (seed + 3) * (hour + 1)) % 190 + 1.0 for hour in range(10)]
    stretch = [Stretch(tuple(hours(*arrivals, since=seed * 1e6)), 1)]
    shares = [late_shares(stretch, TARGET, method)(runners) for runners in range(60)]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] == 1.0
    assert shares[-1] < 1e-6
    by_target = [late_shares(stretch, target, method)(25) for target in (60, 600, 6000)]
    assert by_target == sorted(by_target, reverse=True)


def replayed(demands: list[Demand], runners: int, lead: int = 0) -> float:
    """The share of late jobs by a replay of these hours."""
    return Replay.of(Stretch(tuple(demands), lead)).late(runners, TARGET)


def test_a_replay_carries_over_what_is_left_and_theory_does_not() -> None:
    demands = hours(6, 120, 30)
    assert late(20, demands[2], TARGET) < 0.01
    assert replayed(demands, 12, lead=2) > 0.5
    assert replayed(demands[2:], 12) == 0.0


def test_a_replay_is_the_same_each_time_and_counts_what_follows_its_lead() -> None:
    """The jobs are drawn from the hour itself; hours that lead in fill the runners and are not counted."""
    demands = hours(200, 200, 5)
    assert replayed(demands, 30) == replayed(demands, 30)
    assert replayed(demands, 30, lead=3) == 0.0
    assert replayed([], 30) == 0.0


def test_the_method_is_said_and_fits_the_record() -> None:
    whole, gap = hours(100, 150, 100), [*hours(100), *hours(150, since=5 * HOUR)]
    big = hours(*[MOST_REPLAYED / 4] * 5)
    assert fewest([Stretch(tuple(whole))], TARGET).method is StaffingMethod.REPLAY
    assert fewest([Stretch(tuple(gap))], TARGET).method is StaffingMethod.THEORY
    assert fewest([Stretch(tuple(big))], TARGET).method is StaffingMethod.THEORY
    assert (
        fewest([Stretch(tuple(whole)), Stretch(tuple(hours(100, since=9e6)))], TARGET).method is StaffingMethod.REPLAY
    )


def test_the_fewest_are_enough_and_one_less_is_not() -> None:
    """By theory, for 5 % more work than there was; the jobs of hours that only lead in are not counted."""
    demands = [*hours(60), *hours(120, 150, since=3 * HOUR)]
    found = fewest([Stretch(tuple(demands), 1)], TARGET)
    assert found.jobs == 270
    more = [replace(demand, hold_seconds=MARGIN * demand.hold_seconds) for demand in demands[1:]]
    assert late_by_theory(more, found.runners, TARGET) <= 0.05
    assert late_by_theory(more, found.runners - 1, TARGET) > 0.05
    assert found.late_share == late_by_theory(demands[1:], found.runners, TARGET)
    assert fewest([Stretch(tuple(demands), 1)], TARGET, share=0.99).runners >= found.runners


def short_of(wanted: int) -> Callable[[int], float]:
    """All is missed below that number, and nothing from it on."""
    return lambda number: float(number < wanted)


def test_the_smallest_number_is_found_wherever_it_lies() -> None:
    for wanted in (1, 2, 3, 7, 64, 65, 1000):
        for guess in (1, 2, 60, 64, 65, 66, 5000):
            assert least(short_of(wanted), 0.05, guess) == wanted
