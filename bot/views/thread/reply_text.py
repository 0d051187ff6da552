"""The text of a reply, for pushes and screen readers."""

from collections.abc import Sequence

from bot.core.words import count
from bot.views.blocks import MOST_BULLET
from bot.views.mrkdwn import Marked, clean, escaped, joined, say, unmarked

MOST_TEXT_LINES = 20
MOST_ALONE = 120
"""Characters of a push; the text of a reply in the channel begins with so many that stand alone."""


def alone_of(first: Marked) -> Marked | None:
    """What a push shows of a longer text: whole sentences or parts of one; None if all of it fits."""
    words = unmarked(first)
    if len(words) <= MOST_ALONE:
        return None
    head = words[:MOST_ALONE]
    end = max(head.rfind(". "), head.rfind(", "))
    return say("{words}.", words=escaped(head[:end], MOST_ALONE)) if end > 0 else escaped(words, MOST_ALONE)


def text_of(
    lead: Marked | None, body: Marked, below: Sequence[str], end: Marked | None, *, apart: bool = False
) -> Marked:
    """All of it; `apart`: the first sentence is a line of its own, since a push shows no more of it."""
    text_lines = [clean(line).rstrip(".") for line in below[:MOST_TEXT_LINES] if line]
    lines = [say("{line}.", line=escaped(line, MOST_BULLET)) for line in text_lines]
    more = len(below) - MOST_TEXT_LINES
    rest = joined(" ", *lines, say("+ {lines}.", lines=count(more, "more line")) if more > 0 else None, end)
    first = say("{lead}.", lead=lead) if lead else None
    return joined("\n", first, body, rest or None) if apart else joined(" ", first, body, rest or None)
