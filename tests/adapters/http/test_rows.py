"""JSON of back ends: what is not of the expected form is None or left out, and what a refusal names is told."""

import pytest

from bot.adapters.http.json_answer import LONGEST_WORDS, message_of
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


VALIDATION = [{"resource": "Issue", "field": "labels", "code": "invalid"}, {"message": "too long"}, "and a text", 5, {}]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"message": "Validation Failed", "errors": VALIDATION},
         "Validation Failed; Issue labels invalid; too long; and a text"),
        ({"errors": ["bad"]}, "bad"),
        ({"code": 601, "message": "matchers in body is required"}, "matchers in body is required"),
        ("bad matcher format: x", "bad matcher format: x"),
        ({"message": "no", "errors": {"a": 1}}, "no"),
    ],
)  # fmt: skip
def test_what_a_refusal_names_is_told(body: object, message: str) -> None:
    """GitHub's `errors`, Alertmanager's text and object."""
    assert message_of(body, b"") == message


def test_it_is_cleaned_and_bounded() -> None:
    body = {"message": "x", "errors": ["the secret", *["y" * 200] * 50]}
    found = message_of(body, b"", lambda words: words.replace("secret", "[hidden]"))
    assert found.startswith("x; the [hidden]; yyy")
    assert len(found) <= LONGEST_WORDS
