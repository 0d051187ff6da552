"""Signed and yet mutilated: whatever is missing or of another type in what Slack sends, nothing of ours fails."""

import json
import logging
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import pytest
from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler
from slack_sdk.socket_mode.request import SocketModeRequest
from slack_sdk.socket_mode.response import SocketModeResponse
from structlog.testing import capture_logs

from bot.registry import SHORTCUTS
from handlers.slack_app.app import slack_app
from handlers.slack_app.socket_mode import read_or_drop
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


class Wire:
    """The SDK's client, as far as an answer needs it."""

    logger = logging.getLogger("wire")

    def __init__(self) -> None:
        self.answered: list[str] = []

    async def send_socket_mode_response(self, response: SocketModeResponse | dict[str, str]) -> None:
        self.answered.append(response["envelope_id"] if isinstance(response, dict) else response.envelope_id)


@pytest.mark.parametrize("kind", KINDS)
async def test_nor_does_what_comes_by_socket_mode(
    kind: str, endpoint: Endpoint, caplog: pytest.LogCaptureFixture
) -> None:
    """Each envelope is acknowledged once, so that Slack does not repeat it, but one for which Bolt has no handler."""
    app, wire = slack_app(endpoint.world.context, endpoint.afterwards), Wire()
    handler = AsyncSocketModeHandler(app, "xapp-test")
    envelope, sent = "events_api" if "event" in KINDS[kind] else "interactive", list[str]()
    with capture_logs() as lines:
        for body in mutilated(json.loads(json.dumps(KINDS[kind]))):
            sent.append(f"E{len(sent)}")
            await read_or_drop(handler.handle, wire, SocketModeRequest(envelope, sent[-1], json.loads(body)))
            await endpoint.afterwards.finished()
    await handler.client.close()  # type: ignore[no-untyped-call]
    unhandled = [record for record in caplog.records if record.getMessage().startswith("Unhandled request")]
    assert wire.answered == sorted(set(wire.answered), key=sent.index)
    assert len(wire.answered) == len(sent) - len(unhandled)
    assert [line for line in lines if line["log_level"] in {"error", "critical"}] == []
