"""What is said at the end of an incident: the time that was lost, its causes, and what the extra runners did."""

import pytest

from bot.core.incident.details.counterfactual import Counterfactual
from bot.core.incident.details.events import ClosingSummary, LikelyCause, Waited
from bot.core.incident.details.requests import ActiveSilence
from bot.core.pool.outlook import Forecast, Score, ScoreSummary, Verdict
from bot.views.words.closing import (
    cause_lines,
    ending_lines,
    hours,
    rounded_up,
    unfinished_words,
    waited_lines,
    without_words,
)
from tests.builders import NOW, POOL


def test_hours_are_told_by_pool_with_what_they_leave_out() -> None:
    assert waited_lines((Waited("b", 10.0, 0.5), Waited("a", 2.0, 0.0)), 3) == (
        "Developer time lost: at least 12 hours (b 10; a 2.0), 25% of the time not measured; 1 pool never measured",
    )


def test_the_hours_of_the_pools_add_up_to_those_of_all_and_stay_lower_bounds() -> None:
    each = tuple(Waited(name, wait, 0.0) for name, wait in (("a", 243.6), ("b", 141.6), ("c", 9.97), ("d", 0.06)))
    parts = "a 243; b 141; c 9.9; d under 0.1"
    assert waited_lines(each, 4) == (f"Developer time lost: at least 393 hours ({parts})",)
    tenths = tuple(Waited(name, wait, 0.0) for name, wait in (("a", 0.7), ("b", 0.1)))
    assert waited_lines(tenths, 2) == ("Developer time lost: at least 0.8 hours (a 0.7; b 0.1)",)


def test_nothing_measured_is_unknown_and_no_queue_is_silent() -> None:
    assert waited_lines((Waited("a", 0.01, 0.999),), 1) == (
        "Developer time lost: under 0.1 hours while measured (a), >99% of the time not measured",
    )
    assert waited_lines((Waited("a", 0.0, 0.0),), 1) == ("Developer time lost: none while measured (a)",)
    assert waited_lines((), 1) == ("Developer time lost: unknown, the queue was never measured",)
    assert waited_lines((), 0) == ()


def test_hours_that_are_an_upper_bound_are_rounded_up() -> None:
    assert [hours(rounded_up(n)) for n in (0.0, 0.01, 0.3, 0.31, 9.95, 12.0, 12.1)] == [
        *("0.0", "0.1", "0.3", "0.4", "10", "12", "13")
    ]


def test_hours_read_well() -> None:
    assert [hours(n) for n in (0.0, 0.01, 0.44, 99.96, 1240.4)] == ["0.0", "under 0.1", "0.4", "100", "1,240"]


def test_a_cause_that_was_nearly_always_named_needs_no_share_and_pools_with_the_same_one_share_a_line() -> None:
    a, b, c = LikelyCause("a", "limit", 3, 3), LikelyCause("b", "surge", 3, 4), LikelyCause("c", "limit", 19, 20)
    assert cause_lines((b, a, c)) == (
        "Likely cause of b (75% of the time): a surge of jobs",
        "Likely cause of a and c: the pool's limit is reached",
    )
    assert cause_lines((a, c), 2) == ("Likely cause: the pool's limit is reached",)
    assert cause_lines((a, c), 3) == ("Likely cause of a and c: the pool's limit is reached",), "the third is not known"


@pytest.mark.parametrize(
    ("without", "sentence"),
    [
        ((14400.0, 32400.0, None), "about 9 h (80 %: 4 h or more)"),
        ((3600.0, 7200.0, 18000.0), "about 2 h (80 %: 1 to 5 h)"),
        ((172_800.0, None, None), "2 d or more"),
        ((None, None, None), "not known, because the queue was not measured"),
    ],
)
def test_the_course_without_the_runners_is_told_as_an_interval(
    without: tuple[float | None, float | None, float | None], sentence: str
) -> None:
    seed = None if without[0] is None else 7
    other = Counterfactual(POOL, None, 3000.0, *without, without_seed=seed)
    assert without_words(other) == sentence
    ended = ClosingSummary(3600.0, acted=True, without=other)
    assert ending_lines(ended) == (f"It took 50 min from the scale-up. Without it: {sentence}",)


@pytest.mark.parametrize(("high", "outcome"), [(3000.0, "20 to 50 min (correct)"), (2400.0, "20 to 40 min (wrong)")])
def test_the_forecast_of_the_scale_up_is_compared_as_it_was_said(high: float, outcome: str) -> None:
    made = Forecast(NOW, Verdict.INTERVAL, 14, 1200.0, None, high, pool=POOL)
    other = Counterfactual(POOL, Score(made, 3000.0, held=high == 3000.0), 3000.0, without_seed=7)
    ended = ClosingSummary(3600.0, acted=True, without=other)
    assert ending_lines(ended)[1:] == (f"Forecast of the scale-up: {outcome}",)


def test_the_scores_of_the_forecasts_are_left_to_the_details() -> None:
    assert ending_lines(ClosingSummary(3600.0, acted=True, scores=ScoreSummary(held=1, timed=2))) == ()


def test_a_silence_until_the_drain_is_said_to_end() -> None:
    """One that goes on is told with what ends it."""
    until, on = ActiveSilence(NOW, 60.0, until_drained=True), ActiveSilence(NOW, 6600.0)
    assert ending_lines(ClosingSummary(60.0, acted=True, silences=(until, on))) == (
        "The silence ends now, because the queue has drained",
        "The alert stays silenced for another 1 h 50 min; `@tailback unsilence` ends it",
    )


def test_what_is_unfinished_is_told_before_the_close() -> None:
    assert unfinished_words({"a": 79, "b": None}, 14) == (
        "Still queued: 79 jobs in a.",
        "How many jobs are queued in b is unknown.",
        "14 extra runners stay until the lease ends or the queue has drained.",
    )
    assert unfinished_words({}, 1) == ("1 extra runner stays until the lease ends or the queue has drained.",)
    assert unfinished_words({}, 0) == ()
