"""A back end that refuses says why: all that it names is told, in one short line without secrets."""

import pytest

from bot.adapters.http.json_answer import LONGEST_WORDS, message_of

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
