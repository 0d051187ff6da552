"""How numbers, times and lists read."""

import pytest

from bot.core.words import clock, count, duration, figure, listed, share, time_left


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (None, "unknown"), (0, "0 s"), (0.4, "0 s"), (-5, "0 s"), (45, "45 s"), (59.6, "1 min"), (60, "1 min"),
        (119, "1 min"), (720, "12 min"), (3599, "59 min"), (3600, "1 h"), (6840, "1 h 54 min"),
        (86399, "23 h 59 min"), (86400, "1 d"), (266400, "3 d 2 h"),
    ],
)  # fmt: skip
def test_a_duration(seconds: float | None, words: str) -> None:
    assert duration(seconds) == words


@pytest.mark.parametrize(("seconds", "words"), [(0, "0 s"), (40.2, "40 s"), (3599.1, "1 h"), (5380, "1 h 30 min")])
def test_a_time_that_is_left(seconds: float, words: str) -> None:
    assert time_left(seconds) == words


@pytest.mark.parametrize(
    ("number", "words"),
    [(None, "unknown number of jobs"), (0, "0 jobs"), (1, "1 job"), (14, "14 jobs"), (1234, "1,234 jobs")],
)
def test_a_count(number: int | None, words: str) -> None:
    assert count(number, "job") == words


def test_a_count_with_its_own_plural() -> None:
    assert (count(2, "entry", "entries"), count(1, "entry", "entries")) == ("2 entries", "1 entry")


@pytest.mark.parametrize(
    ("number", "words"), [(None, "?"), (0, "0"), (14.0, "14"), (1234567, "1,234,567"), (0.75, "0.8"), (-2.5, "-2.5")]
)
def test_a_figure(number: float | None, words: str) -> None:
    assert figure(number) == words


@pytest.mark.parametrize(
    ("items", "words"),
    [
        ("", ""),
        ("a", "a"),
        ("ab", "a and b"),
        ("abc", "a, b and c"),
        ("abcde", "a, b, c, d and e"),
        ("abcdef", "a, b, c, d and 2 more"),
        ("abcdefghijk", "a, b, c, d and 7 more"),
    ],
)
def test_a_list(items: str, words: str) -> None:
    assert listed(items) == words


def test_a_share_is_none_or_all_only_where_it_is() -> None:
    parts = (0.0, 0.001, 0.01, 0.5, 0.99, 0.999, 1.0)
    assert [share(part) for part in parts] == ["0%", "<1%", "1%", "50%", "99%", ">99%", "100%"]


def test_a_short_story_has_seconds_in_its_times() -> None:
    """From 08:00 to 08:00 says nothing; above five minutes the minute is enough."""
    assert [clock(1_800_000_020), clock(1_800_000_020, 300), clock(1_800_000_020, 299)] == [
        "08:00",
        "08:00",
        "08:00:20",
    ]
