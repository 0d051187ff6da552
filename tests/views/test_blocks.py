"""Slack's limits hold for whatever is put together; with fewer of its younger blocks no word and no button is lost."""

from typing import Any

import pytest

from bot.core.message import Message
from bot.views import blocks
from bot.views.mrkdwn import Marked, code, say
from bot.views.simpler import LADDER, YOUNG, kinds_of, without
from tests.slack_limits import message_problems


def test_many_long_sections_are_shortened_and_the_buttons_stay() -> None:
    button = blocks.button("Acknowledge", "ack", "a", "Acknowledge: linux")
    parts = [blocks.section(Marked("word " * 590)) for _ in range(45)]
    drawn = blocks.message(say("t"), blocks.header("h"), *parts, blocks.actions(button))
    assert message_problems(drawn) == []
    assert [block["type"] for block in drawn.blocks if block["type"] in {"header", "actions"}] == ["header", "actions"]
    assert "Cut to fit one Slack message" in str(drawn.blocks[-1])


def test_a_code_block_that_is_cut_is_closed() -> None:
    rows = code([f"row {n} " + "x" * 60 for n in range(200)])
    drawn = blocks.message(say("t"), blocks.section(rows))
    assert message_problems(drawn) == []


def test_an_empty_text_is_replaced_and_what_fits_is_left_alone() -> None:
    whole = blocks.section(say("a"))
    assert blocks.message(say(" "), None, whole) == Message("Tailback has news of an incident.", (whole,))


def test_the_digest_follows_text_and_blocks() -> None:
    one = blocks.message(say("t"), blocks.header("h"))
    assert blocks.digest_of(one) == blocks.digest_of(blocks.message(say("t"), blocks.header("h")))
    assert len({blocks.digest_of(drawn) for drawn in (one, Message("u", one.blocks), Message("t"))}) == 3


def test_a_button_keeps_its_own_limits() -> None:
    drawn = blocks.message(say("t"), blocks.actions(blocks.button("Resolve " * 20, "resolve", "v" * 3000, "")))
    assert message_problems(drawn) == []


RAW = [{"type": "raw_text", "text": "linux.2xlarge"}, {"type": "raw_number", "value": 3240, "text": "54m"}]
YES = {"text": {"type": "plain_text", "text": "Yes"}, "value": "i7:yes"}
NO = {"text": {"type": "plain_text", "text": "No"}, "value": "i7:no"}
BUTTON = {"type": "button", "text": {"type": "plain_text", "text": "Scale up"}, "action_id": "scale_up", "value": "i7"}
TASK = {"title": "Requested by Ana", "status": "complete"}
FEEDBACK = {"type": "feedback_buttons", "action_id": "cause_fit", "positive_button": YES, "negative_button": NO}
POINTS = [{"label": "-5m", "value": 3.0}, {"label": "now", "value": 14.0}]
LINE = {"type": "line", "series": [{"name": "queued", "data": POINTS}]}
EXAMPLES: dict[str, dict[str, Any]] = {
    "data_visualization": {"type": "data_visualization", "title": "Queue", "chart": LINE},
    "table": {"type": "table", "rows": [RAW, RAW]},
    "container": {
        "type": "container",
        "title": {"type": "plain_text", "text": "How it went"},
        "child_blocks": [{"type": "section", "text": {"type": "mrkdwn", "text": "09:12 alert"}}],
    },
    "plan": {"type": "plan", "title": "Scale-up: 5 of 8 registered", "tasks": [TASK]},
    "context_actions": {"type": "context_actions", "elements": [FEEDBACK]},
}
WORDS = {
    "data_visualization": ["Queue", "-5m to now: first 3, peak 14, last 14"],
    "table": ["linux.2xlarge", "54m"],
    "container": ["How it went", "09:12 alert"],
    "plan": ["5 of 8 registered", "Requested by Ana", "✓"],
    "context_actions": ["Yes", "No", "i7:yes", "i7:no", "cause_fit"],
}


def test_every_younger_block_has_an_example_and_a_step() -> None:
    assert set(EXAMPLES) == YOUNG
    assert sum(len(step) for step in LADDER) == len(YOUNG)


@pytest.mark.parametrize("kind", EXAMPLES)
def test_a_block_is_replaced_by_its_words_and_buttons_and_others_stay(kind: str) -> None:
    around = {"type": "actions", "elements": [BUTTON]}
    made = without(Message("text", (around, EXAMPLES[kind], around)), frozenset({kind}))
    assert kinds_of(made) == frozenset()
    assert (made.text, made.blocks[0], made.blocks[-1]) == ("text", around, around)
    assert all(word in str(made.blocks[1:-1]) for word in WORDS[kind])
    assert kinds_of(without(Message("text", tuple(EXAMPLES.values())), frozenset({kind}))) == YOUNG - {kind}


def test_a_long_table_is_cut_and_says_so() -> None:
    (made,) = without(Message("text", ({"type": "table", "rows": [RAW] * 200},)), YOUNG).blocks
    words: Any = made["text"]
    assert len(words["text"]) <= 3000
    assert "more" in words["text"]
