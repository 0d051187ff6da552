"""Raw bytes to checked JSON: what is tolerated, what is refused, and in which words."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.alert import CUT
from bot.sources import payload
from bot.sources.payload import MOST_PAIRS, Unreadable, bounded, instant, items, number, numbers, pairs, read, text
from tests.examples import TWICE

NESTED = b'{"a":' * 64 + b"1" + b"}" * 64


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (b"", "body: empty"),
        (b"  \n", "body: empty"),
        (b"\xff\xfe{}", "body: not UTF-8 at byte 0"),
        ("{}".encode("utf-16"), "body: not UTF-8"),
        (b'{"a": "\xed\xa0\x80"}', "body: not UTF-8 at byte 7"),
        (b"{", "body: not JSON at line 1, column 2"),
        (b'{"a": 1} x', "body: not JSON at line 1, column 10"),
        (b"[]", "body: a JSON object is expected, but a list came"),
        (b'"x"', "but a string came"),
        (b"1", "but a number came"),
        (b"null", "but a null came"),
        (b"true", "but a boolean came"),
        (b'{"a":' * 65 + b"1" + b"}" * 65, "body: nested deeper than 64 levels"),
        (b"[" * 20_000, "body: nested deeper than 64 levels"),
        (
            b"[" * 200_000,
            "body: 200,000 lists and objects outside of texts, and a body of 200,000 bytes may have 25,000",
        ),
        (b'{"a":' * 20_000, "body: nested deeper than 64 levels"),
    ],
)
def test_a_body_that_cannot_be_read_is_refused_with_its_reason(body: bytes, sentence: str) -> None:
    """Every refusal names what is wrong, so that the sender's operator can mend it."""
    with pytest.raises(Unreadable, match=sentence.replace("(", r"\(")):
        read(body)


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (b'\xef\xbb\xbf{"a": 1}', {"a": 1}),
        (b'{"a": 1, "a": 2}', {"a": 2}),
        (b'{"a": "x\ty\nz"}', {"a": "x\ty\nz"}),
        (b'{"a": "\\ud800x", "\\udc00": 1}', {"a": "\ufffdx", "\ufffd": 1}),
        (b'{"a": "\\ud83d\\ude00"}', {"a": "\U0001f600"}),
        (b'{"a": 1e999, "b": -1e999}', {"a": None, "b": None}),
        (b'{"a": NaN, "b": -Infinity}', {"a": None, "b": None}),
        (b'{"a": 12345678901234567890}', {"a": 12345678901234567890}),
        (b'{"a": ' + b"9" * 100_000 + b"}", {"a": None}),
        (b'{"a": "\\u0000"}', {"a": "\0"}),
    ],
)
def test_odd_but_readable_json_is_read(body: bytes, found: dict[str, object]) -> None:
    """Senders with templates of their own write all of these; none may cost an alert."""
    assert read(body) == found


def test_sixty_four_levels_are_read() -> None:
    assert json.dumps(read(NESTED)).count("{") == 64


@TWICE
@given(st.binary(max_size=300))
def test_no_bytes_raise_anything_but_unreadable(body: bytes) -> None:
    """Whatever arrives, the endpoint can answer it with 400 and a sentence."""
    try:
        words = f"body: {read(body)}"
    except Unreadable as refused:
        words = str(refused)
    assert words.startswith("body: ")


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ("2025-12-01T02:23:00Z", 1764555780.0),
        ("2025-12-01T02:23:00.1Z", 1764555780.1),
        ("2025-12-01T02:23:00.178Z", 1764555780.178),
        ("2025-12-01T02:23:00.178999999Z", 1764555780.178),
        ("2025-12-01T02:23:00.178999999z", 1764555780.178),
        ("2025-11-30T18:23:00-08:00", 1764555780.0),
        ("2025-12-01T07:53:00+05:30", 1764555780.0),
        ("2025-12-01T07:53:00+0530", 1764555780.0),
        ("2025-12-01 02:23:00 Z", 1764555780.0),
        ("2025-12-01T02:23:00", 1764555780.0),
        ("2016-12-31T23:59:60Z", 1483228799.0),
        ("0001-01-01T00:00:00Z", None),
        ("0001-01-01T00:00:00+14:00", None),
        ("2025-13-01T00:00:00Z", None),
        ("2025-12-01T25:00:00Z", None),
        ("2025-12-01T00:00:00+99:00", None),
        ("9999-12-31T23:59:59Z", 253402300799.0),
        ("soon", None),
        ("", None),
        (None, None),
        (1764555780, None),
        ({}, None),
    ],
)
def test_a_time_is_read_to_the_millisecond(written: object, seconds: float | None) -> None:
    """The same instant from a webhook (nanoseconds) and from the API (milliseconds) is one and the same number."""
    assert instant(written) == seconds


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (1, 1.0),
        ("14", 14.0),
        (" 1.5e1 ", 15.0),
        (True, None),
        (None, None),
        ("+Inf", None),
        ("NaN", None),
        ("x", None),
        ([], None),
        (10**400, None),
    ],
)
def test_a_figure_is_a_finite_number_or_unknown(value: object, found: float | None) -> None:
    assert number(value) == found


def test_figures_that_are_no_numbers_are_left_out() -> None:
    assert numbers([("a", 1), ("b", None), ("c", "2"), ("a", 3)]) == {"a": 1.0, "c": 2.0}
    assert len(numbers((str(i), i) for i in range(500))) == MOST_PAIRS


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("x", "x"),
        ("a\0b", "a\ufffdb"),
        (14, "14"),
        (0.5, "0.5"),
        (2.0, "2"),
        (True, "true"),
        (False, "false"),
        (None, ""),
        ([], ""),
        ("x" * 1001, "x" * (1000 - len(CUT)) + CUT),
    ],
)
def test_text_is_read_from_strings_and_numbers(value: object, words: str) -> None:
    """A templated payload may write numbers where text stands; a text that is too long says that it was cut."""
    assert text(value) == words


def test_labels_are_bounded_and_the_important_ones_stay() -> None:
    """One alert cannot bloat a record, and what routing reads survives the cut."""
    many = {f"a{i:04}": "x" * 500 for i in range(1000)} | {"team": "infra", "n" * 9000: "x"}
    kept = bounded(pairs(many), ("team",))
    assert kept["team"] == "infra"
    assert len(kept) <= MOST_PAIRS
    assert sum(len(name) + len(value) for name, value in kept.items()) <= 8000
    assert bounded({"a": "x" * 2000})["a"].endswith(CUT)
    assert list(bounded({"b": "1", "a": "2"}, ("a",))) == ["b", "a"]


@pytest.mark.parametrize("body", [b'{"a": [' + b"1," * 50_001 + b"1]}", b'{"a": [' + b"[]," * 25_001 + b"1]}"])
def test_a_body_of_too_many_values_is_refused_before_it_is_decoded(body: bytes) -> None:
    """Decoding a megabyte of empty lists would hold up everything else in the process."""
    with pytest.raises(Unreadable, match="send fewer alerts"):
        read(body)


@pytest.mark.parametrize(
    "quoted", ["{" * 26_000, "[" * 26_000, "a,b" * 55_000, '\\"{' * 26_000, "\\" * 9 + "," * 55_000]
)
def test_what_is_quoted_is_not_counted(quoted: str) -> None:
    """One alert whose text holds brackets, commas, quotes and backslashes is one alert."""
    assert read(json.dumps({"a": quoted, "b": [1]}).encode()) == {"a": quoted, "b": [1]}


@TWICE
@given(
    st.recursive(
        st.text(max_size=5) | st.integers(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=8,
    )
)
def test_what_is_counted_is_what_has_to_be_made(value: object) -> None:
    """Whatever is quoted, however it is escaped: the lists and objects outside are counted exactly."""

    def boxes(found: object) -> int:
        inner = list(found.values()) if isinstance(found, dict) else found if isinstance(found, list) else ()
        return isinstance(found, dict | list) + sum(map(boxes, inner))

    body = json.dumps({"a": value, "b": "{[" * 13_000}).encode()
    assert payload._bounded(body) == 1 + boxes(value)


def test_a_body_is_bounded_by_its_size_alone_while_it_looks_like_alerts() -> None:
    """Thirty thousand of the barest alerts: 5 MB, and `http.max_body_bytes` is what decides."""
    bare = {
        "status": "firing", "labels": {"alertname": "x"}, "annotations": {}, "fingerprint": "0123456789abcdef",
        "startsAt": "2027-01-15T07:59:00Z", "endsAt": "0001-01-01T00:00:00Z", "generatorURL": "",
    }  # fmt: skip
    assert len(items(read(json.dumps({"alerts": [bare] * 30_000}, separators=(",", ":")).encode())["alerts"])) == 30_000
