"""GitHub's signature: right ones are let in, and every other form of one is refused without a difference."""

import pytest

from bot.sources.github_signature import REFUSED, signed
from tests.sources.github import signature

BODY, SECRET, SECOND = b'{"a": 1}', "first-secret-of-ours", "second-secret-of-ours"
NAME = b"X-Hub-Signature-256"
GOOD = signature(BODY, SECRET).encode()


@pytest.mark.parametrize("secret", [SECRET, SECOND])
def test_each_secret_of_a_rotation_is_good(secret: str) -> None:
    """GitHub is given the new one while deliveries with the old one are still on their way."""
    assert signed([(NAME, signature(BODY, secret).encode())], BODY, (SECRET, SECOND)).ok


def test_githubs_own_example_is_good() -> None:
    """The values on GitHub's page "Validating webhook deliveries"."""
    value = b"sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
    assert signed([(NAME, value)], b"Hello, World!", ("It's a Secret to Everybody",)).ok


@pytest.mark.parametrize(
    ("headers", "reason"),
    [
        ([], "no signature"),
        ([(b"X-Hub-Signature", GOOD)], "no signature"),
        ([(NAME, GOOD), (NAME, GOOD)], "the signature came more than once"),
        ([(NAME, b"")], "not the form of a signature"),
        ([(NAME, GOOD[7:])], "not the form of a signature"),
        ([(NAME, GOOD[:-1])], "not the form of a signature"),
        ([(NAME, GOOD + b" ")], "not the form of a signature"),
        ([(NAME, b"sha1=" + GOOD[7:])], "not the form of a signature"),
        ([(NAME, "sha256=é".encode("latin-1"))], "not the form of a signature"),
        ([(NAME, b"sha256=" + b"0" * 64)], "wrong signature"),
        ([(NAME, signature(BODY + b" ", SECRET).encode())], "wrong signature"),
        ([(NAME, signature(BODY, f"{SECRET},{SECOND}").encode())], "wrong signature"),
        ([(NAME, signature(BODY, "").encode())], "wrong signature"),
    ],
)
def test_everything_else_is_refused_with_the_same_words(headers: list[tuple[bytes, bytes]], reason: str) -> None:
    verdict = signed(headers, BODY, (SECRET, SECOND))
    assert (verdict.ok, verdict.reason, verdict.sentence) == (False, reason, REFUSED)


@pytest.mark.parametrize("secrets", [(), ("",)])
def test_without_a_secret_nobody_is_known(secrets: tuple[str, ...]) -> None:
    verdict = signed([(NAME, signature(BODY, "").encode())], BODY, secrets)
    assert not verdict.ok


def test_the_case_of_the_digits_does_not_matter() -> None:
    assert signed([(NAME.lower(), b"sha256=" + GOOD[7:].upper())], BODY, (SECRET,)).ok
