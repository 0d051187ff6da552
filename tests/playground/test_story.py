"""The demo's stories as pages for reviewers: every message, dialog and answer in order (docs/messages.md)."""

import re
from pathlib import Path

import pytest

from bot.core.message import Block, Message
from bot.ports import Person
from bot.views.simpler import YOUNG, without
from bot.views.words.causes import RUNNERS
from handlers.tools.records import exported
from tests.generated import same_as_file
from tests.playground.screens import contradictions, drawn_peak, steps_back, told_peak
from tests.playground.stories import STORIES, Played, played
from tests.slack_limits import texts
from tests.views.golden import assert_golden
from tests.world import ANA

DOCS = Path(__file__).parents[2] / "docs"
INDEX = DOCS / "messages.md"
MOST_REPLIES, MOST_TEXT = 8, 120
FIRSTS = ("🔴", "Early warning")
"""How a message begins that may stand in the channel."""
LOUD = ("Drained: ", "*OPEN")
"""How a reply begins that the channel sees too: the queue has drained, or nobody has acknowledged."""


def plain(text: str) -> str:
    """Slack's markup as a reader sees it: labels of links, names, times in UTC."""
    found = re.sub(r"<(?:!date\^\d+\^[^|]*|https?:[^|>]*)\|([^>]*)>", r"\1", text)
    found = re.sub(r"<@U0(\w+)>", lambda one: f"@{one[1].lower()}", found)
    found = re.sub(r"<!subteam\^S0(\w+)>", lambda one: f"@{one[1].lower()}", found)
    for markup, sign in (
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&amp;", "&"),
        ("```\n", ""),
        ("\n```", ""),
        ("2027-01-15 ", ""),
    ):
        found = found.replace(markup, sign)
    return found


def drawn(block: Block) -> str:
    """A block as lines: headings marked, labels of buttons in brackets."""
    words = [plain(text) for text in texts(block)]
    if block["type"] in {"actions", "input"}:
        return " ".join(f"[{one}]" for one in words)
    return f"# {words[0]}" if block["type"] == "header" else "\n".join(words)


def section(title: str, what: Message | Block) -> str:
    if not isinstance(what, Message):
        what = Message("", tuple(what["blocks"]))  # type: ignore[arg-type]  # a dialog's blocks
    push = [f"Push, {len(what.text)} characters: {plain(what.text)}", ""] if title[6:].startswith("Message") else []
    lines = "\n".join(drawn(block) for block in without(what, YOUNG).blocks).splitlines()
    return "\n".join([f"## {title}", "", *push, "```text", *lines, "```", ""])


def first_line(text: str) -> str:
    """What a push shows of a reply."""
    return plain(text.partition("\n")[0])


def row(name: str, story: Played) -> str:
    """The figures of a story; the height is what the page test measured last (tests/playground/page/test_blocks.py)."""
    replies = [stored for stored in story.chat.messages if stored.thread is not None]
    posts = [stored for stored in story.chat.messages if stored.thread is None or stored.broadcast]
    first = [message.text for message, one in zip(story.chat.first, story.chat.messages, strict=True) if not one.thread]
    text = max((len(one) for one in (*first, *(one.text for one in story.parents))), default=0)
    loud = max((len(first_line(one.message.text)) for one in replies if one.broadcast), default=0)
    height = re.search(rf"\[{name}\].*\| (\S+) \|$", INDEX.read_text("utf-8"), re.MULTILINE)
    return (
        f"| [{name}](examples/story/{name}.md) | {len(replies)} | {len(posts)} | {text or '–'} | {loud or '–'} "
        f"| {height[1] if height else '–'} |"
    )


async def reviewed(story: Played) -> str:
    """`tailback export` of the story, with people's names; who has none in Slack keeps the id."""
    world = story.world
    file, now = world.context.settings.file, world.clock.now()
    text = await exported(world.store, file, world.incident.id, "markdown", now, chat=story.chat)
    assert ANA not in text
    return text


@pytest.mark.parametrize("name", STORIES)
async def test_a_story_is_told_as_its_page_shows_it_and_stays_short(name: str) -> None:
    """Pushes, replies and channel posts within the limits of docs/design/slack.md; each page says the figures."""
    story = await played(name)
    replies = [stored for stored in story.chat.messages if stored.thread is not None]
    loud = [stored.message.text for stored in replies if stored.broadcast]
    assert len(replies) <= MOST_REPLIES
    assert all(len(one.text) <= MOST_TEXT for one in story.parents)
    assert all(text.startswith(LOUD) for text in loud)
    first = [" ".join(texts({"blocks": one.blocks[:3]})) for one in story.parents]
    assert len({words for one in first for words in RUNNERS.values() if f"{words}." in one}) <= 1, "one verdict"
    assert all("*Likely cause" in one and "*Forecast" in one for one in first[:1]), "both from the first message on"
    assert not [text for text in loud if "<!subteam" in text and text.startswith("Drained")], (
        "nobody is paged by an end"
    )
    assert all(one.text.startswith(FIRSTS) for title, one in story.seen if "the channel" in title[:30])  # type: ignore[union-attr]  # messages
    assert contradictions(story.shown_figures) == [], "one number for one thing"
    assert [back for shown in story.plans.values() for back in steps_back(shown)] == [], "a plan never goes back"
    assert all(len(first_line(text)) <= MOST_TEXT and not first_line(text).endswith("…") for text in loud), loud
    for named, offered in story.offered:
        assert not named or named in offered[story.scenario.affected[0]], "the dialog offers what the message names"
    for one, message in zip(story.ended, story.summaries, strict=True):
        assert drawn_peak(message) in {None, told_peak(one.log.timeline)}, "a chart has the peak of its words"
    sections = [section(*one) for one in story.seen]
    ends = [stored.message for stored in story.chat.messages if stored.thread is None]
    sections += [section(f"Message {number} of the channel at the end", one) for number, one in enumerate(ends, 1)]
    if story.parents:
        heads = [one.blocks[:3] for one in story.parents if len(one.blocks) > 2 and one.blocks[2]["type"] == "actions"]
        assert_golden(f"story_{name}", {"blocks": max(heads, key=lambda blocks: len(str(blocks)))})
    plot = " ".join((STORIES[name][1].__doc__ or "").split())
    same_as_file(
        DOCS / "examples" / "story" / f"{name}.md", "\n".join([f"# {story.scenario.title}", "", plot, "", *sections])
    )
    if name == "surge":
        story.chat.people[ANA] = Person(ANA, "T0", name="Ana")
        same_as_file(DOCS / "examples" / "review" / "surge.md", await reviewed(story))
    others = [line for line in INDEX.read_text("utf-8").splitlines() if not line.startswith(f"| [{name}]")]
    rows = [line for line in (*others, row(name, story)) if line.startswith("| [")]
    rows.sort(key=lambda line: [*STORIES].index(line[3:].partition("]")[0]))
    same_as_file(INDEX, "\n".join([*(line for line in others if not line.startswith("| [")), *rows, ""]))
