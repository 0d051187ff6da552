"""Plain lines as sections of bullets, none of them cut in the middle."""

from collections.abc import Sequence

from bot.core.message import Block
from bot.core.words import count
from bot.views.blocks import MOST_BULLET, MOST_SECTION, bullets, context, section
from bot.views.mrkdwn import clean, escaped, say

MOST_LINES = 40
LINES_A_SECTION = 10


def line_sections(lines: Sequence[str]) -> list[Block]:
    """At most `MOST_LINES` lines; further ones are counted."""
    shown = [line for line in lines[:MOST_LINES] if clean(line)]
    blocks = [section(bullets(part, LINES_A_SECTION)) for part in _packed(shown)]
    if len(lines) > MOST_LINES:
        blocks.append(context(say("+ {lines} that do not fit here.", lines=count(len(lines) - MOST_LINES, "line"))))
    return blocks


def _packed(lines: list[str]) -> list[list[str]]:
    """The lines in parts that fit one section each; whole lines, because the last words say what to do."""
    parts: list[list[str]] = []
    room = 0
    for line in lines:
        needs = len(escaped(line, MOST_BULLET)) + len("• \n")
        if not parts or needs > room or len(parts[-1]) == LINES_A_SECTION:
            parts.append([])
            room = MOST_SECTION
        parts[-1].append(line)
        room -= needs
    return parts
