"""JSON rows of CI systems: what is not of the expected form is None or left out."""

import pytest

from bot.adapters.http.rows import instant, link, longest, number, part, rows, text, texts, whole
from bot.core.pool.pool import Job


@pytest.mark.parametrize(
    ("value", "found"),
    [(3, 3.0), ("12", 12.0), (0, 0.0), (2.5, 2.5), (True, None), (-1, None), ("NaN", None), ("x", None), (None, None)],
)
def test_a_number_is_finite_and_not_negative(value: object, found: float | None) -> None:
    """ClickHouse may write 64-bit integers as text; everything else is no figure."""
    assert number({"n": value}, "n") == found
    assert whole({"n": 2.6}, "n") == 3
    assert number({"n": 10**400}, "n") is None


@pytest.mark.parametrize(
    ("value", "at"),
    [
        ("2026-03-02T10:00:00.000Z", 1_772_445_600.0),
        ("2026-03-02 10:00:00", 1_772_445_600.0),
        ("2026-03-02T12:00:00+02:00", 1_772_445_600.0),
        ("yesterday", None),
        (None, None),
    ],
)
def test_a_time_without_a_zone_is_utc(value: object, at: float | None) -> None:
    assert instant({"t": value}, "t") == at


def test_only_web_addresses_are_links_and_text_is_one_line() -> None:
    assert link({"u": "javascript:alert(1)"}, "u") == ""
    assert link({"u": "https://ci.example/1"}, "u") == "https://ci.example/1"
    assert text({"t": "a\nb\u202e"}, "t") == "a b"
    assert texts(["a", 1, "b"]) == {"a", "b"}
    assert rows([{"a": 1}, "x", None]) == [{"a": 1}]


def test_the_longest_waiting_jobs_come_first_and_are_few() -> None:
    jobs = longest(Job(f"j{n}", float(n)) for n in range(30))
    assert [job.waited_seconds for job in jobs] == [float(n) for n in range(29, 19, -1)]


def test_a_name_is_one_part_of_an_address() -> None:
    assert part("team/a..b") == "team%2Fa%2E%2Eb"
