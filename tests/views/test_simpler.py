"""A message with fewer of Slack's younger blocks: no word and no button is lost."""

from typing import Any

import pytest

from bot.core.message import Message
from bot.views.simpler import LADDER, YOUNG, kinds_of, without

RAW = [{"type": "raw_text", "text": "linux.2xlarge"}, {"type": "raw_number", "value": 3240, "text": "54m"}]
YES = {"text": {"type": "plain_text", "text": "Yes"}, "value": "i7:yes"}
NO = {"text": {"type": "plain_text", "text": "No"}, "value": "i7:no"}
BUTTON = {"type": "button", "text": {"type": "plain_text", "text": "Scale up"}, "action_id": "scale_up", "value": "i7"}
TASK = {"title": "Requested by Ana", "status": "complete"}
FEEDBACK = {"type": "feedback_buttons", "action_id": "cause_fit", "positive_button": YES, "negative_button": NO}
POINTS = [{"label": "-5m", "value": 3.0}, {"label": "now", "value": 14.0}, {"label": "+5m", "value": 20.0}]
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
def test_a_block_is_replaced_by_its_words_and_buttons(kind: str) -> None:
    around = {"type": "actions", "elements": [BUTTON]}
    made = without(Message("text", (around, EXAMPLES[kind], around)), frozenset({kind}))
    assert kinds_of(made) == frozenset()
    assert (made.text, made.blocks[0], made.blocks[-1]) == ("text", around, around)
    assert all(word in str(made.blocks[1:-1]) for word in WORDS[kind])


@pytest.mark.parametrize("kind", EXAMPLES)
def test_other_blocks_stay(kind: str) -> None:
    message = Message("text", tuple(EXAMPLES.values()))
    assert kinds_of(without(message, frozenset({kind}))) == YOUNG - {kind}


def test_a_long_table_is_cut_and_says_so() -> None:
    (made,) = without(Message("text", ({"type": "table", "rows": [RAW] * 200},)), YOUNG).blocks
    words: Any = made["text"]
    assert len(words["text"]) <= 3000
    assert "more" in words["text"]
