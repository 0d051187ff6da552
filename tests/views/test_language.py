"""The language of the messages, measured over all golden files (docs/design/README.md)."""

import json
import re
from collections.abc import Iterator

import pytest

from tests.slack_limits import texts
from tests.views.golden import FOLDER

MOST_WORDS = 20
LOST_HABITS = re.compile(
    r"\b(has it|held the truth|oldest waits|looks\b(?! like)|by hand|foreseen|of one's own|is told)", re.IGNORECASE
)
"""Idioms of our own that readers needed twice; the files of other parts may still have some."""
GOLDEN = sorted(path.stem for path in FOLDER.glob("*.json") if path.stem.startswith(("parent_", "reply_")))


def sentences(name: str) -> Iterator[str]:
    value = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
    for text in texts(value["blocks"]):
        plain = re.sub(r"<[^|>]*\|([^>]*)>", r"\1", text)
        for line in plain.replace("*", "").splitlines():
            yield from re.split(r"(?<=[.!?])\s+| · ", line)


@pytest.mark.parametrize("name", GOLDEN)
def test_no_sentence_of_a_message_is_long(name: str) -> None:
    assert [one for one in sentences(name) if len(one.split()) > MOST_WORDS] == []


@pytest.mark.parametrize("name", GOLDEN)
def test_no_message_falls_back_into_lost_habits(name: str) -> None:
    assert [one for one in sentences(name) if LOST_HABITS.search(one)] == []


@pytest.mark.parametrize("name", sorted(p.stem for p in FOLDER.glob("*.json") if not p.stem.startswith("report_")))
def test_times_are_in_the_readers_zone_where_slack_can_write_them(name: str) -> None:
    """Sentences of entries have none. A report has the zone of its schedule, and a sparkline UTC."""
    written = marked(json.loads((FOLDER / f"{name}.json").read_text("utf-8")))
    shown = [re.sub(r"<!date[^>]*>", "", text) for text in written]
    assert [one for one in shown if "UTC" in one and "jobs queued from" not in one] == []


def marked(value: object) -> Iterator[str]:
    """Every text in which Slack can write a date; the strings of a list are sentences of entries."""
    match value:
        case {"type": "mrkdwn", "text": str(text)}:
            yield text
        case {"type": "plain_text" | "raw_text" | "data_visualization"}:
            return
        case dict() | list():
            for part in value.values() if isinstance(value, dict) else value:
                yield from [part] if isinstance(value, list) and isinstance(part, str) else marked(part)
        case _:
            return
