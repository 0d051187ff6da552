"""Compares a rendering with its golden file; `UPDATE_GOLDEN=1 pytest tests/views` writes the files anew."""

import json
import os
from pathlib import Path

from bot.core.message import Block, Message
from tests.slack_limits import message_problems, view_problems

FOLDER = Path(__file__).parents[1] / "golden"


def assert_golden(name: str, drawn: Message | Block) -> None:
    """The rendering is within Slack's limits, and what the file says; a missing file fails with how to write it."""
    if isinstance(drawn, Message) or "type" in drawn:
        assert (message_problems(drawn) if isinstance(drawn, Message) else view_problems(drawn)) == []
    value = {"text": drawn.text, "blocks": drawn.blocks} if isinstance(drawn, Message) else drawn
    written = json.dumps(value, indent=2, ensure_ascii=False, sort_keys=True) + "\n"
    path = FOLDER / f"{name}.json"
    if os.environ.get("UPDATE_GOLDEN") == "1":
        FOLDER.mkdir(exist_ok=True)
        path.write_text(written, encoding="utf-8")
    assert path.exists(), f"{path} is missing; UPDATE_GOLDEN=1 writes it, then read what it says"
    assert written == path.read_text(encoding="utf-8"), f"{name} is drawn differently; UPDATE_GOLDEN=1 if that is meant"
