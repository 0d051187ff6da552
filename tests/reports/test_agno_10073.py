"""agno-agi/agno#10073: an event that was lost the first time is dropped the second time, because it is a repetition."""

import json

from bot.core.incident.details.events import PlainText
from tests.builders import CHANNEL
from tests.handlers.endpoint import Endpoint
from tests.world import ANA, TEAM

AGAIN = {"X-Slack-Retry-Num": "1", "X-Slack-Retry-Reason": "http_timeout"}


async def test_a_repeated_event_that_nobody_heard_is_carried_out_once(endpoint: Endpoint) -> None:
    event = {
        "type": "app_mention",
        "user": ANA,
        "text": "<@U0BOT> note disk is full",
        "channel": CHANNEL,
        "ts": "5.5",
        "thread_ts": endpoint.world.incident.thread.root,
    }
    whole = {"type": "event_callback", "event_id": "Ev1", "team_id": TEAM, "api_app_id": "A0", "event": event}
    for _ in range(3):
        answer = await endpoint.signed(json.dumps(whole).encode(), "application/json", **AGAIN)
        assert answer.status_code == 200
    notes = endpoint.world.details(PlainText)
    assert [note.text for note in notes] == ["disk is full"]
    assert len(endpoint.world.chat.whispers) == 1, "and answered once"
