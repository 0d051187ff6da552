"""Signed and yet mutilated: whatever is missing or of another type in what Slack sends, nothing of ours fails."""

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import pytest
from structlog.testing import capture_logs

from bot.registry import SHORTCUTS
from tests.builders import CHANNEL
from tests.handlers.endpoint import Endpoint
from tests.world import ANA, TEAM

INFINITY = "@@ a number that is none @@"
ODD: tuple[object, ...] = (None, "x", -1, True, [], {}, [None], {"id": 1}, INFINITY)
BASE = {
    "user": {"id": ANA, "team_id": TEAM},
    "team": {"id": TEAM},
    "api_app_id": "A0",
    "token": "t",
    "trigger_id": "t1",
}
WHERE = {"container": {"type": "message", "message_ts": "1.1", "channel_id": CHANNEL}, "channel": {"id": CHANNEL}}
STATE = {"values": {"duration": {"duration": {"type": "plain_text_input", "value": "1h"}}}}
CHOICE = {"text": {"type": "plain_text", "text": "x"}, "value": "v"}
VIEW = {"id": "V1", "hash": "h", "type": "modal", "callback_id": "silence", "private_metadata": "m", "state": STATE}
MENTION = {"type": "app_mention", "user": ANA, "text": "<@U0BOT> status", "channel": CHANNEL, "ts": "1.2", "team": TEAM}
KINDS: dict[str, dict[str, Any]] = {
    "button": {
        **BASE, **WHERE, "type": "block_actions",
        "actions": [{"type": "button", "action_id": "ack", "value": "x"}],
    },
    "menu": {
        **BASE, **WHERE, "type": "block_actions",
        "actions": [{"type": "overflow", "action_id": "more", "selected_option": CHOICE}],
    },
    "dialog": {**BASE, "type": "view_submission", "view": VIEW},
    "shortcut": {
        **BASE, **WHERE, "type": "message_action", "callback_id": next(iter(SHORTCUTS)), "message": {"ts": "1.2"},
    },
    "mention": {"type": "event_callback", "event_id": "E1", "team_id": TEAM, "event": MENTION},
    "home": {"type": "event_callback", "event_id": "E1", "event": {"type": "app_home_opened", "user": ANA}},
}  # fmt: skip


def mutilated(whole: Any) -> Iterator[bytes]:
    """The document with every one of its values missing, or replaced by every odd one."""
    places: list[tuple[Any, Any]] = [(whole, key) for key in whole]
    while places:
        box, key = places.pop()
        value = box[key]
        if isinstance(value, dict | list):
            places += [(value, inner) for inner in (list(value) if isinstance(value, dict) else range(len(value)))]
        for odd in ODD:
            box[key] = odd
            yield json.dumps(whole).replace(json.dumps(INFINITY), "Infinity").encode()
        if isinstance(box, dict):
            del box[key]
            yield json.dumps(whole).encode()
        box[key] = value


@pytest.mark.parametrize("kind", KINDS)
async def test_nothing_that_is_signed_makes_the_process_fail(kind: str, endpoint: Endpoint) -> None:
    """400 with a line in the log, or an answer to the person; a traceback would be a failure of ours."""
    seen = set[int]()
    event = "event" in KINDS[kind]
    with capture_logs() as lines:
        for body in mutilated(json.loads(json.dumps(KINDS[kind]))):
            form = urlencode({"payload": body.decode()}).encode()
            kind_of = "application/json" if event else "application/x-www-form-urlencoded"
            answer = await endpoint.signed(body if event else form, kind_of)
            assert answer.status_code in {200, 400, 404}, body
            assert answer.status_code != 400 or lines[-1]["event"] == "Slack's request cannot be read", body
            seen.add(answer.status_code)
    assert seen >= {200, 400}
    assert [line for line in lines if line["log_level"] in {"error", "critical"}] == []
