"""The dialog of a GitHub issue: all of its text, as it will stand there."""

from bot.core.message import Block, Message
from bot.core.words import count
from bot.views.blocks import actions, button, message, section
from bot.views.dialogs.modals import modal
from bot.views.mrkdwn import clipped, code, escaped, say

MOST_SHOWN = 20
"""Sections of the text; each has up to `PER_SECTION` characters."""
PER_SECTION = 2000


def offer_issue(request_id: str, repository: str) -> Message:
    """`@tailback file` was typed: the button opens the dialog, which needs a click."""
    words = say("File an issue in {repository}? You see its text first.", repository=repository)
    return message(
        words, section(words), actions(button("Show the text…", "file_issue", request_id, "Show the issue's text"))
    )


def issue_modal(callback: str, request_id: str, where: str, title: str, text: str) -> Block:
    """The issue before it is filed; `where` names its repository and labels."""
    head = say("*{title}*\nA new issue in {where}.", title=escaped(title, 250), where=escaped(where, 250))
    parts = _parts(text)
    shown = [section(code(part)) for part in parts[:MOST_SHOWN]]
    more = len(parts) - MOST_SHOWN
    rest = [section(say("{more} not shown here.", more=count(more, "more part")))] if more > 0 else []
    return modal(callback, "File an issue?", request_id, [section(head), *shown, *rest], submit="File")


def _parts(text: str) -> list[list[str]]:
    """Lines in groups that fit into a section."""
    found: list[list[str]] = [[]]
    for line in (clipped(one_line, PER_SECTION) for one_line in text.splitlines()):
        if found[-1] and sum(len(other) + 1 for other in found[-1]) + len(line) > PER_SECTION:
            found.append([])
        found[-1].append(line)
    return [part for part in found if any(part)]
