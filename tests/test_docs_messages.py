"""Whoever searches the docs for the words of a message finds it: the page of messages is what the code says."""

import os
import re

from tests.docs_messages import messages, rendered
from tests.docs_pages import page

PAGE = "docs/reference/messages.md"


def test_the_page_has_every_message_of_the_code_and_no_other() -> None:
    """Written anew by `UPDATE_GOLDEN=1 .venv/bin/pytest tests/test_docs_messages.py`."""
    text = rendered()
    if os.environ.get("UPDATE_GOLDEN"):
        page_file = page(PAGE).file
        page_file.write_text(text, "utf-8")
    assert page(PAGE).text == text, "run UPDATE_GOLDEN=1 .venv/bin/pytest tests/test_docs_messages.py"


def test_every_message_has_an_anchor_of_its_own() -> None:
    anchors = re.findall(r'<a id="([^"]*)">', page(PAGE).text)
    assert len(anchors) == len(set(anchors)) == sum(map(len, messages().values()))
    assert "" not in anchors


def test_what_people_meet_most_is_collected() -> None:
    """One of each kind, so that a change of the code's habits does not empty the page."""
    text = page(PAGE).text
    for known in (
        "The bot is not in …",
        "SLACK_BOT_TOKEN is not set",
        "The append-only file is off",
        "You don't have permission",
        "is required",
    ):
        assert known in text, known
