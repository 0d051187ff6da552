"""Intervals are short, and never claim more than the forecast does."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.views.words.interval import about, bound, exact, interval, short, when, widened


@pytest.mark.parametrize(
    ("minutes", "words"),
    [
        ((21, 43), "20 to 50 min"),
        ((50, 170), "50 min to 3 h"),
        ((60, 90), "1 to 1.5 h"),
        ((200, 700), "3 to 12 h"),
        ((3000, 6000), "2 to 5 d"),
        ((1, 5), "up to 6 min"),
        ((0.2, 1.5), "a minute or two"),
    ],
)
def test_an_interval_in_coarse_steps(minutes: tuple[float, float], words: str) -> None:
    assert interval(60 * minutes[0], 60 * minutes[1]) == words


@given(st.lists(st.floats(0, 20_000), min_size=2, max_size=2).map(sorted))
def test_the_worst_case_is_never_better_than_the_forecast(minutes: list[float]) -> None:
    low, high = (60 * one for one in minutes)
    for words in (interval(low, high), bound(high)):
        assert not re.search(r"[–()]|\b0\b|\bno\b", words)
    sentence = bound(high)
    if found := re.fullmatch(r"(\d+) min", sentence):
        assert float(found[1]) >= min(minutes[1], 1.0)
        assert float(found[1]) * 60 >= high - 1e-6


def test_bounds_that_are_scored_are_not_widened() -> None:
    assert exact(1260.0, 2580.0) == "21 min to 43 min"
    assert exact(1260.0, None) == "at least 21 min"
    assert interval(540.0, 1560.0, fine=True) == "9 to 26 min"
    assert about(1920.0) == "about 30 min"
    assert [short(one) for one in (None, 5, 720, 6840, 180_000)] == ["?", "under 1m", "12m", "1h 54m", "2d 2h"]


@pytest.mark.parametrize(
    ("low", "high", "sentence"),
    [(1, 5, "within 6 min"), (8, 50, "in 8 to 50 min"), (0, 1, "in a minute or two"), (19, 20, "in 15 to 20 min")],
)
def test_a_time_that_may_be_at_once_is_said_as_a_bound(low: int, high: int, sentence: str) -> None:
    assert when(60.0 * low, 60.0 * high) == sentence


def test_the_ends_that_are_said_are_those_that_an_outcome_is_compared_with() -> None:
    assert widened(37 * 60.0, 103 * 60.0) == (30 * 60.0, 120 * 60.0)
    assert interval(37 * 60.0, 103 * 60.0) == "30 min to 2 h"
