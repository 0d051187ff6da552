"""Refusals that quote what a person typed: it formats, links and mentions nothing in our sentence."""

import re
from collections.abc import Callable

import pytest

from bot.views.home.answers import refusal
from bot.views.words import refusals

QUOTING: dict[str, Callable[[str], str]] = {
    "unknown_pool": lambda typed: refusals.unknown_pool(typed, ["linux"]),
    "unknown_command": lambda typed: refusals.unknown_command(typed, "/queue help", ["status"]),
    "no_incident": refusals.no_incident,
    "no_number": refusals.no_number,
}
"""By name: each refusal that repeats what was typed."""
TYPED = ["*x*", "_x_", "~x~", "`x`", "<!channel>", "<@U0ANA>", "<https://evil.test|x>", "a\u200bb", "*x* _y_"]
FORMATS = re.compile(r"(?<!\w)[*_~](?=\S)|<[!@#]|<https?:")


@pytest.mark.parametrize("name", QUOTING)
@pytest.mark.parametrize("typed", TYPED)
def test_what_was_typed_is_repeated_without_its_formatting(name: str, typed: str) -> None:
    """`Unknown pool "*x*"` was bold."""
    said = refusal(QUOTING[name](typed)).text
    quoted = said[said.index('"') : said.rindex('"')]
    assert not FORMATS.search(quoted)
    assert "`" not in quoted
