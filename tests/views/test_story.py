"""All messages of some incidents in order, as a page for reviewers: docs/examples/story/messages.md."""

import os
import re
from dataclasses import dataclass
from pathlib import Path

from bot.core.message import Message
from tests.posting.test_refused_blocks import StrictChat, played
from tests.scaling.care import CareWorld
from tests.slack_limits import texts
from tests.world import World, spoken

PAGE = Path(__file__).parents[2] / "docs" / "examples" / "story" / "messages.md"
MOST_REPLIES, MOST_POSTS, MOST_TEXT = 8, 2, 120
TABLE = "| Story | Characters of the first notification | Replies | Channel posts |\n|---|---|---|---|"


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


@dataclass(frozen=True)
class Told:
    """What one story left in Slack."""

    name: str
    plot: str
    chat: StrictChat

    @property
    def row(self) -> str:
        """Its figures: the first notification, replies, channel posts."""
        posts = [stored for stored in self.chat.messages if stored.thread is None or stored.broadcast]
        replies = [stored for stored in self.chat.messages if stored.thread is not None]
        assert len(replies) <= MOST_REPLIES, self.name
        assert len(posts) <= MOST_POSTS, "opened and drained"
        assert len(self.chat.first[0].text) <= MOST_TEXT
        return f"| {self.name} | {len(self.chat.first[0].text)} | {len(replies)} | {len(posts)} |"

    @property
    def messages(self) -> list[str]:
        """Each message as it was posted, then the first one as it stands at the end."""
        told = [(f"{self.name}: message {number}", one) for number, one in enumerate(self.chat.first, 1)]
        return [shown(*one) for one in (*told, (f"{self.name}: message 1 at the end", self.chat.messages[0].message))]


def strict(world: World) -> StrictChat:
    """The world's Slack, which takes what Slack takes."""
    chat = StrictChat(world.clock, frozenset())
    chat.groups = world.chat.groups
    world.chat = world.context.chat = chat
    return chat


async def two_pools() -> StrictChat:
    """The story of the refused blocks, with all blocks."""
    return (await played())[2]


async def scaled() -> StrictChat:
    """Fourteen runners more, which come, and go when the queue has drained."""
    world = CareWorld()
    chat = strict(world)
    world.runners(10)
    await world.opens(spoken("a1"))
    world.runners(10)
    await world.scaled()
    world.runners(24, busy=22)
    await world.passes(600)
    world.queues(0, busy=3, idle=21, offline=0)
    await world.fires(spoken("a1", firing=False))
    await world.passes(1500, step=30)
    return chat


async def silenced() -> StrictChat:
    """Two hours of silence, ended early."""
    world = World()
    chat = strict(world)
    await world.opens(spoken("a1"))
    await world.says("silence", "2h")
    await world.work()
    await world.passes(1200, step=30)
    await world.says("unsilence")
    await world.work()
    world.queues(0)
    await world.fires(spoken("a1", firing=False))
    await world.passes(600)
    return chat


STORIES = {
    "Two pools": ("Ana acknowledges, and asks for a diagnosis and a chart. Then both queues drain.", two_pools),
    "Scale-up": ("Ana adds 14 runners. They come, the queue drains, and the runners are returned.", scaled),
    "Silence": ("Ana silences the alert for two hours and ends the silence early.", silenced),
}


async def test_the_page_shows_the_stories_as_they_are_told() -> None:
    """`UPDATE_GOLDEN=1` writes the page; each story stays short."""
    told = [Told(name, plot, await play()) for name, (plot, play) in STORIES.items()]
    head = ["# All messages of some incidents", "", *(f"* **{one.name}**: {one.plot}" for one in told), "", TABLE]
    written = "\n".join([*head, *(one.row for one in told), "", *(text for one in told for text in one.messages)])
    if os.environ.get("UPDATE_GOLDEN") == "1":
        PAGE.parent.mkdir(exist_ok=True)
        PAGE.write_text(written, encoding="utf-8")
    assert written == PAGE.read_text("utf-8"), "UPDATE_GOLDEN=1 writes it anew; read what it says"
