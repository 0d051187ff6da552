"""The text of a reply, for pushes and screen readers."""

from collections.abc import Sequence

from bot.core.words import count
from bot.views.blocks import MOST_BULLET
from bot.views.mrkdwn import Marked, clean, escaped, joined, say, unmarked

MOST_TEXT_LINES = 20
MOST_ALONE = 120
"""Characters of a push; the text of a reply in the channel begins with so many that stand alone."""


def alone_of(first: Marked) -> Marked | None:
    """What a push shows of a longer first sentence; None if that fits."""
    words = unmarked(first)
    return escaped(words, MOST_ALONE) if len(words) > MOST_ALONE else None


def text_of(lead: Marked | None, body: Marked, below: Sequence[str], end: Marked | None) -> Marked:
    text_lines = [clean(line).rstrip(".") for line in below[:MOST_TEXT_LINES] if line]
    lines = [say("{line}.", line=escaped(line, MOST_BULLET)) for line in text_lines]
    more = len(below) - MOST_TEXT_LINES
    return joined(
        " ",
        say("{lead}.", lead=lead) if lead else None,
        body,
        *lines,
        say("+ {lines}.", lines=count(more, "more line")) if more > 0 else None,
        end,
    )
