"""Compares a rendering with its golden file; `./tailback golden` writes the files anew."""

import json
from pathlib import Path

from bot.core.message import Block, Message
from tests.generated import same_as_file
from tests.slack_limits import message_problems, view_problems

FOLDER = Path(__file__).parents[1] / "golden"


def assert_golden(name: str, drawn: Message | Block) -> None:
    """The rendering is within Slack's limits, and what the file says."""
    if isinstance(drawn, Message) or "type" in drawn:
        assert (message_problems(drawn) if isinstance(drawn, Message) else view_problems(drawn)) == []
    value = {"text": drawn.text, "blocks": drawn.blocks} if isinstance(drawn, Message) else drawn
    written = json.dumps(value, indent=2, ensure_ascii=False, sort_keys=True) + "\n"
    same_as_file(FOLDER / f"{name}.json", written)
