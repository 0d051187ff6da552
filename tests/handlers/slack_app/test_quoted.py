"""Whatever a person types is repeated without its formatting, by every verb, in the channel and in the thread.

A person may be named: `handover` does.
"""

import re
from collections.abc import Iterator

import pytest

from bot.registry import VERBS
from tests.handlers.endpoint import Endpoint
from tests.world import World

TYPED = ("*bold*", "_slanted_", "~struck~", "`code`", "<!channel>", "<https://evil.test|x>", "a\u200bb", "<!here>")
"""What formats, links or calls somebody in Slack's markup."""
RAW = re.compile(r"(?<!\w)[*_~](?:bold|slanted|struck)[*_~]|`code`|<!(?:channel|here)>|<https://evil|\u200b")


def texts(block: object) -> Iterator[str]:
    """Every text of markup in a block."""
    if isinstance(block, dict):
        if block.get("type") == "mrkdwn":
            yield str(block.get("text"))
        for part in block.values():
            yield from texts(part)
    elif isinstance(block, list | tuple):
        for part in block:
            yield from texts(part)


@pytest.mark.parametrize("verb", [*VERBS, "*bold*", "<!channel>", "`code`"])
async def test_no_refusal_repeats_what_was_typed_with_its_formatting(endpoint: Endpoint, verb: str) -> None:
    """As the only word and behind a pool; in private answers, dialogs and replies."""
    world = endpoint.world
    root = world.incident.thread.root or ""
    for number, typed in enumerate(TYPED):
        for words in (typed, f"linux.2xlarge {typed}"):
            response = await endpoint.slash(f"{verb} {words}")
            reply = response.json() if response.content else {}
            assert not [one for one in (str(reply.get("text", "")), *texts(reply.get("blocks"))) if RAW.search(one)]
            world.clock.advance(60)
            await endpoint.mention(
                f"{verb} {words}", thread_ts=root, event_id=f"Ev{number}{words}", ts=f"{number}.{len(words)}"
            )
    await world.work()
    assert not unescaped(world)


def unescaped(world: World) -> list[str]:
    """Private answers, dialogs and replies in which something typed stands as it was."""
    messages = [*(message for _, _, message, _ in world.chat.whispers), *(one.message for one in world.chat.messages)]
    found = [text for one in messages for text in (one.text, *texts(list(one.blocks))) if RAW.search(text)]
    return [*found, *(text for _, view in world.chat.views for text in texts(view) if RAW.search(text))]
