"""Intervals read as people say them, and never claim more than the forecast does."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.views.words.interval import about, bound, exact, interval, short


@pytest.mark.parametrize(
    ("minutes", "words"),
    [
        ((21, 43), "20 to 50 min"),
        ((50, 170), "50 min to three hours"),
        ((60, 90), "one to one and a half hours"),
        ((200, 700), "three to 12 hours"),
        ((3000, 6000), "two to five days"),
        ((1, 5), "up to 6 min"),
        ((0.2, 1.5), "a minute or two"),
        ((21, 43, 32), "about 30 min, at worst 50"),
        ((50, 290, 61), "about an hour, at worst five"),
        ((45, 65, 50), "about 50 min, at worst an hour and a half"),
        ((60, 3000, 1000), "about 16 hours, at worst three days"),
        ((8, 8, 8), "about 8 min"),
        ((0, 8, 0.4), "about 1 min, at worst 8"),
    ],
)
def test_an_interval_as_people_say_it(minutes: tuple[float, ...], words: str) -> None:
    assert interval(*(60 * one for one in minutes)) == words


@given(st.lists(st.floats(0, 20_000), min_size=3, max_size=3).map(sorted))
def test_the_worst_case_is_never_better_than_the_forecast(minutes: list[float]) -> None:
    low, mid, high = (60 * one for one in minutes)
    for words in (interval(low, high), interval(low, high, mid), bound(high)):
        assert not re.search(r"[–()]|\b0\b|\bno\b", words)
    said = bound(high)
    if found := re.fullmatch(r"(\d+) min", said):
        assert float(found[1]) >= min(minutes[2], 1.0)
        assert float(found[1]) * 60 >= high - 1e-6


def test_bounds_that_are_scored_are_not_widened() -> None:
    assert exact(1260.0, 2580.0) == "21 min to 43 min"
    assert exact(1260.0, None) == "at least 21 min"
    assert interval(540.0, 1560.0, fine=True) == "9 to 26 min"
    assert about(1920.0) == "about 30 min"
    assert [short(one) for one in (None, 5, 720, 6840, 180_000)] == ["?", "under 1m", "12m", "1h 54m", "2d 2h"]
