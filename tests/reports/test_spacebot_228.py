"""spacedriveapp/spacebot#228: direct messages with a file, and those from a thread, are dropped without a word."""

from typing import Any

from tests.builders import POOL
from tests.handlers.endpoint import Endpoint
from tests.world import ANA


async def writes(endpoint: Endpoint, text: str, **parts: Any) -> list[str]:
    """What Tailback answers to a direct message."""
    there = len(endpoint.world.chat.messages)
    event = {"user": ANA, "channel": "D0ANA", "channel_type": "im", "ts": "5.5", "text": text, **parts}
    await endpoint.event("message", **event)
    return [one.message.text for one in endpoint.world.chat.messages[there:] if one.channel == "D0ANA"]


async def test_a_question_with_a_screenshot_is_answered(endpoint: Endpoint) -> None:
    (answer,) = await writes(endpoint, "list", subtype="file_share", files=[{"id": "F1", "name": "queue.png"}])
    assert POOL in answer


async def test_a_question_from_a_thread_that_is_sent_to_the_conversation_too_is_answered(endpoint: Endpoint) -> None:
    (answer,) = await writes(endpoint, "list", subtype="thread_broadcast", thread_ts="4.4", root={"ts": "4.4"})
    assert POOL in answer


async def test_a_file_alone_is_greeted(endpoint: Endpoint) -> None:
    (answer,) = await writes(endpoint, "", subtype="file_share", files=[{"id": "F1", "name": "queue.png"}])
    assert "status [POOL]" in answer
