"""Rates from samples: what a source does not tell follows from what it tells."""

from dataclasses import replace
from typing import Any

import pytest

from bot.core.forecast.forecast import forecast
from bot.core.forecast.rates import arrivals_of, ends_of, served_lately, started_in_order, together, waited_minutes
from bot.core.forecast.seen import TYPICAL_MINUTES, Seen, seen_of
from bot.core.pool.outlook import Verdict
from tests.core.forecast.test_forecast import FIGURES, RULES, series


def test_counted_arrivals_come_first_then_what_follows_from_the_queue() -> None:
    """2 arrive and 4 start a minute while the queue falls by 2."""
    given = series()
    hidden = [replace(s, arrivals_per_minute=None) for s in given]
    for samples in (given, hidden):
        found = arrivals_of(samples, served_lately(samples, None))
        assert found is not None
        assert found.rate == pytest.approx(2.0, abs=0.1)


def test_by_littles_law_as_many_wait_as_arrived_during_the_longest_wait() -> None:
    """60 jobs, the oldest has waited half an hour: two a minute."""
    hidden: dict[str, Any] = {**dict.fromkeys(FIGURES), "oldest_wait_seconds": 1800.0}
    bare = [replace(s, **hidden) for s in series()]
    found = arrivals_of(bare, None)
    assert found is not None
    assert found.rate == pytest.approx(2.0)


def test_a_runner_ends_as_many_jobs_as_were_counted_over_its_work() -> None:
    found = ends_of(series())
    assert found is not None
    assert found.rate == pytest.approx(0.1)
    hidden: dict[str, Any] = dict.fromkeys(("completions_per_minute", "starts_per_minute"))
    by_arrivals = ends_of([replace(s, **hidden) for s in series()])
    assert by_arrivals is not None
    assert by_arrivals.rate == pytest.approx(0.1)
    by_durations = ends_of([replace(s, **hidden, arrivals_per_minute=None) for s in series()])
    assert by_durations is not None
    assert 1 / by_durations.rate == pytest.approx(536 * 1.6 / 60)
    assert by_durations.jobs < found.jobs


def test_jobs_that_start_in_order_tell_the_pace_of_a_runner() -> None:
    """The queue of half an hour ago has started since."""
    hidden = {"completions_per_minute": None, "starts_per_minute": None, "duration_p50_seconds": None}
    samples = [replace(s, **hidden) for s in series(oldest_wait_seconds=1500.0)]  # type: ignore[arg-type]
    found = started_in_order(samples)
    assert found is not None
    assert found.rate == pytest.approx((60 + 50) / (40 * 26), rel=0.1)


@pytest.mark.parametrize(("queued", "falls", "minutes"), [(60, -4.0, 7.5), (60, 2.0, 30.0), (400, -1.0, 30.0)])
def test_an_unknown_wait_is_not_zero(queued: int, falls: float, minutes: float) -> None:
    """As long as fewer jobs have started than waited then: 60 - 4 t = 4 t."""
    samples = [replace(s, oldest_wait_seconds=None) for s in series(queued, falls)]
    assert waited_minutes(samples, 0, 1 / TYPICAL_MINUTES) == pytest.approx(minutes, abs=2)


def test_jobs_that_came_at_once_came_together() -> None:
    batch = [replace(s, queued=5 if n < 15 else 65) for n, s in enumerate(series())]
    evenly = [replace(s, queued=5 + 2 * n) for n, s in enumerate(series())]
    began = batch[15].at
    assert together(batch, 1.0, 0.0) == 60
    assert together(batch, 1.0, began) == 1, "those that began the trouble say nothing of the next"
    assert together(evenly, 1.0, 0.0) == 2
    assert together(evenly, 7.0, 0.0) == 7


@pytest.mark.parametrize("hidden", [(), ("arrivals_per_minute",), ("starts_per_minute", "completions_per_minute")])
def test_figures_that_a_source_lacks_follow_from_the_others(hidden: tuple[str, ...]) -> None:
    unknown: dict[str, Any] = dict.fromkeys(hidden)
    whole, part = forecast(series(200), RULES), forecast(series(200, **unknown), RULES)
    assert part.verdict is Verdict.INTERVAL
    assert part.mid_seconds == pytest.approx(whole.mid_seconds, rel=0.5)


def test_who_works_now_counts_before_rates_that_lag() -> None:
    """20 of 40 runners have left in the last minutes."""
    samples = [replace(s, busy=40 if n < 25 else 20) for n, s in enumerate(series())]
    found = seen_of(samples, RULES)
    assert isinstance(found, Seen)
    assert found.runners == pytest.approx(20, abs=4)


@pytest.mark.parametrize(
    ("changes", "id_"),
    [({"limit": 90, "idle": None}, None), ({"limit": 90, "booting": 9}, None), ({"limit": 90}, "none_come")],
)
def test_none_came_is_said_only_where_machines_are_counted_and_none_boots(
    changes: dict[str, Any], id_: str | None
) -> None:
    found = seen_of(series(falls=-1.0, **changes), RULES)
    assert isinstance(found, Seen)
    assert (found.still.id if found.still else None) == id_
