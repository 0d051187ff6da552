"""Durations as people write them: one parser for settings, dialogs, commands and the command line."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.durations import SECONDS, UNITS, seconds
from bot.core.words import duration, money

PARTS = st.dictionaries(st.sampled_from(sorted(UNITS)), st.integers(1, 999), min_size=1, max_size=4)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2 hours", 7200), ("1 day", 86400), ("45 min", 2700), ("1h30", 5400), ("1h30m", 5400), ("1 h 30 min", 5400),
        ("1d12", 129_600), ("2m30", 150), ("1.5h", 5400), ("1,5 hours", 5400), ("1 hour and 5 mins", 3900),
        ("1 day, 2 hrs", 93_600), ("2H", 7200), ("90s", 90), ("200ms", 0.2), (" 3 weeks ", 1_814_400), ("5 min.", 300),
    ],
)  # fmt: skip
def test_what_people_write(text: str, expected: float) -> None:
    assert seconds(text) == pytest.approx(expected)


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "soon", "10", "1h 30 5", "30 1h", "-1h", "1h-2", "1 month", "h", "1h and", "٣h", "1h30x", "1..5h",
        None, 5,
    ],
)  # fmt: skip
def test_what_is_none_is_refused_with_examples(text: object) -> None:
    with pytest.raises(ValueError, match='is not a duration; write for example "90s"'):
        seconds(text)


@given(PARTS, st.data())
def test_any_units_in_any_spelling_add_up(parts: dict[float, int], data: st.DataObject) -> None:
    """Every name of a unit, in either case, with or without spaces, commas and `and`."""
    words = []
    for unit, number in parts.items():
        name = data.draw(st.sampled_from([name for name, length in SECONDS.items() if length == unit]))
        gap, case = data.draw(st.sampled_from(["", " "])), data.draw(st.sampled_from([str.lower, str.upper, str.title]))
        words.append(f"{number}{gap}{case(name)}")
    text = data.draw(st.sampled_from([" ", ", ", " and "])).join(words)
    assert seconds(text) == pytest.approx(sum(unit * number for unit, number in parts.items()))


@given(st.integers(1, 90 * 86400))
def test_what_tailback_writes_it_reads(length: int) -> None:
    assert abs(seconds(duration(length)) - length) <= (1 if length < 60 else 60 if length < 86400 else 3600)


@given(st.text(max_size=30))
def test_any_text_is_a_duration_or_a_refusal(text: str) -> None:
    with contextlib.suppress(ValueError):
        assert seconds(text) >= 0


@pytest.mark.parametrize(
    ("currency", "written"), [("$", "$1,207.30"), ("US$", "US$1,207.30"), ("€", "1,207.30 €"), ("", "1,207.30"),
                              ("CHF", "1,207.30 CHF"), ("£", "£1,207.30"), ("kr", "1,207.30 kr")],
)  # fmt: skip
def test_money_is_written_as_people_of_its_currency_do(currency: str, written: str) -> None:
    assert money(1207.3, currency) == written
