"""Forecasts on the simulated fleet: a small part of the benchmark, with the same measures."""

from statistics import median

import pytest

from bot.core.forecast.outlook import Verdict
from tests.bench.early import healthy, troubled
from tests.bench.forecast import Made, lived, lived_with_pasts, outcome
from tests.bench.incidents import story
from tests.bench.what_if import chosen

pytestmark = pytest.mark.fleet


@pytest.fixture(scope="module")
def every() -> list[Made]:
    """Forty incidents, foretold as they went and lived to their end."""
    return lived(40, 5_000)


def test_intervals_hold_as_often_as_they_are_meant_to(every: list[Made]) -> None:
    """80 %, less what chance does to so few."""
    whole = outcome(every)
    assert whole.said >= 20
    assert whole.coverage >= 0.7


def test_the_middle_beats_both_simple_rules(every: list[Made]) -> None:
    """The last slope, and Little's law with the last rate, over the same cases."""
    whole = outcome(every)
    assert whole.ours < whole.slope
    assert whole.ours < whole.little


def test_past_weeks_make_forecasts_better_where_arrivals_have_a_rhythm() -> None:
    """The same forty incidents with and without four weeks of the pool's own past: smaller errors, and no less said."""
    alone, with_past = map(outcome, lived_with_pasts(40, 5_200, (0, 4)))
    assert with_past.ours < alone.ours
    assert with_past.coverage >= max(0.65, alone.coverage - 0.05)
    assert with_past.said >= 0.8 * alone.said


def test_growing_and_stalled_queues_were_not_empty_soon(every: list[Made]) -> None:
    """The sign matters more than the size."""
    called = [m for m in every if m.forecast.verdict in {Verdict.GROWING, Verdict.STALLED}]
    assert called
    assert sum(m.actual < 1800 for m in called) <= 0.15 * len(called)


def test_more_runners_help_as_the_table_says() -> None:
    """The same seed really run with each number: never later in the fleet, never later in the table."""
    held = said = 0
    for seed in (300, 301, 302, 303):
        choices = chosen(story(seed, "limit"), (0, 10, 20, 40))
        foretold = [c.option.mid_seconds or float("inf") for c in choices]
        real = [c.actual or float("inf") for c in choices]
        assert foretold == sorted(foretold, reverse=True)
        assert real[-1] <= real[0]
        said += sum(c.held is not None for c in choices)
        held += sum(bool(c.held) for c in choices)
    assert said >= 6
    assert held >= 0.6 * said


def test_warnings_come_before_the_crossing_and_seldom_for_nothing() -> None:
    """Twenty limits that are too low: most are foreseen by ten minutes and more, and few warnings are false."""
    watches = [troubled(story(seed, "limit")) for seed in range(6_000, 6_020)]
    hits, false = sum(w.early.hits for w in watches), sum(w.early.false for w in watches)
    leads = [lead for watch in watches for lead in watch.lead_seconds]
    assert hits >= 8
    assert false <= 0.25 * (hits + false)
    assert median(leads) >= 600


def test_two_healthy_days_pass_without_a_warning() -> None:
    """Chance alone makes no warning."""
    for seed in (11, 12):
        assert all(w.early.episode is None for w in healthy(seed, rhythm=False, seconds=86_400.0))
