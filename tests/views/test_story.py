"""All messages and notifications of one incident in order, as a page for reviewers: docs/examples/story/messages.md."""

import os
import re
from pathlib import Path

from bot.core.message import Message
from tests.posting.test_refused_blocks import played
from tests.slack_limits import texts

PAGE = Path(__file__).parents[2] / "docs" / "examples" / "story" / "messages.md"
MOST_REPLIES, MOST_TEXT = 8, 120


def plain(text: str) -> str:
    """Slack's markup as a reader sees it: labels of links, times in UTC."""
    found = re.sub(r"<(?:!date\^\d+\^[^|]*|https?:[^|>]*)\|([^>]*)>", r"\1", text)
    return found.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def shown(title: str, message: Message) -> str:
    """One message: its notification, then its blocks."""
    said = [f"    {line}" for line in plain(message.text).splitlines()]
    lines = [f"## {title}", "", f"Notification, {len(message.text)} characters:", "", *said, ""]
    for block in message.blocks:
        words = [plain(text) for text in texts(block)]
        kind = str(block["type"]).replace("_", " ")
        lines += [f"*{kind}*", "", *("    " + line for text in words for line in text.splitlines()), ""]
    return "\n".join(lines)


async def test_the_page_shows_the_story_as_it_is_told() -> None:
    """`UPDATE_GOLDEN=1` writes the page; the story stays short."""
    messages, _, chat = await played()
    told = [
        *((f"Message {number}", one) for number, one in enumerate(chat.first, 1)),
        ("Message 1 at the end", messages[0]),
    ]
    posts = [stored for stored in chat.messages if stored.thread is None or stored.broadcast]
    replies = [stored for stored in chat.messages if stored.thread is not None]
    assert len(replies) <= MOST_REPLIES
    assert len(posts) == 2, "opened and drained"
    assert len(chat.first[0].text) <= MOST_TEXT
    head = (
        "# All messages of one incident\n\nTwo pools queue. Ana acknowledges, and asks for a diagnosis and a chart. "
        "Then both queues drain.\n\n| Story | Characters of the first notification | Replies | Channel posts |\n"
        f"|---|---|---|---|\n| queue | {len(chat.first[0].text)} | {len(replies)} | {len(posts)} |\n\n"
    )
    written = head + "\n".join(shown(title, message) for title, message in told)
    if os.environ.get("UPDATE_GOLDEN") == "1":
        PAGE.parent.mkdir(exist_ok=True)
        PAGE.write_text(written, encoding="utf-8")
    assert written == PAGE.read_text("utf-8"), "UPDATE_GOLDEN=1 writes it anew; read what it says"
