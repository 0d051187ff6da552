"""Builds Slack blocks within Slack's limits; only this file knows them (docs/design/slack.md#message-limits)."""

from bisect import bisect
from collections.abc import Mapping, Sequence
from itertools import accumulate, zip_longest

from pydantic_core import to_json

from bot.core.alert import digest
from bot.core.message import Block, Message
from bot.core.words import count
from bot.views.mrkdwn import Marked, clean, code, cut, escaped, flat, joined, say, shortened

MOST_TEXT = 4_000
"""`chat.update` refuses more; `chat.postMessage` does not."""
MOST_BLOCKS = 30
MOST_TOTAL = 10_000
"""Characters of all blocks as JSON, as it is sent; Slack refuses at about 13,000 (slackapi/bolt-js#2509)."""
MOST_SECTION = 3_000
MOST_CONTEXT, MOST_CONTEXT_ELEMENTS = 2_000, 10
MOST_HEADER, MOST_LABEL, MOST_VALUE, MOST_OPTION_VALUE = 150, 75, 2_000, 75
MOST_OPTIONS, MOST_RADIO, MOST_CHOICES, MOST_BUTTONS = 5, 10, 100, 4
"""Of a menu, of radio buttons, of a select, and of a row beside its menu."""
MOST_MODAL_TITLE = 24

WIDEST_COLUMN, MOST_TABLE = 24, 2800
"""Characters of a cell in a preformatted table, and of all of it."""
MOST_CELL, MOST_CHILDREN, MOST_CONTAINER_TITLE = 60, 10, 150

MOST_BULLET = 600
"""A cause with figures and remedy has up to about 500 characters; the remedy is last."""
MOST_LINES, LINES_A_SECTION = 40, 10
_SHRINKABLE = 600
AS_OF = "as_of"


def _encoded(block: Block) -> str:
    return to_json(block, fallback=str).decode()


def plain(text: str, most: int) -> Block:
    return {"type": "plain_text", "text": flat(text, most) or "–"}


def mrkdwn(text: Marked, most: int = MOST_SECTION) -> Block:
    """A `mrkdwn` object; verbatim, so that Slack makes no links, channels or mentions out of words."""
    return {"type": "mrkdwn", "text": str(cut(text, most)) or "–", "verbatim": True}


def header(text: str) -> Block:
    return {"type": "header", "text": plain(text, MOST_HEADER)}


def section(text: Marked) -> Block:
    return {"type": "section", "text": mrkdwn(text)}


def context(*texts: Marked) -> Block:
    return {"type": "context", "elements": [mrkdwn(text, MOST_CONTEXT) for text in texts[:MOST_CONTEXT_ELEMENTS]]}


def actions(*elements: Block) -> Block:
    return {"type": "actions", "elements": list(elements)}


def button(label: str, action_id: str, value: str, accessibility_label: str, *, primary: bool = False) -> Block:
    """A button; `value` is an opaque id."""
    made: dict[str, object] = {
        "type": "button",
        "text": plain(label, MOST_LABEL),
        "action_id": action_id,
        "value": value[:MOST_VALUE],
        "accessibility_label": plain(accessibility_label, MOST_LABEL)["text"],
    }
    if primary:
        made["style"] = "primary"
    return made


def option(label: str, value: str) -> Block:
    return {"text": plain(label, MOST_LABEL), "value": value[:MOST_OPTION_VALUE]}


def overflow(action_id: str, options: Sequence[Block]) -> Block:
    return {"type": "overflow", "action_id": action_id, "options": list(options)}


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Block:
    """A native table with a bold first row; the first column wraps, the others are aligned to the right."""

    def bold(text: str) -> Block:
        words = {"type": "text", "text": text, "style": {"bold": True}}
        return {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": [words]}]}

    first, *others = ([flat(cell, MOST_CELL) or "–" for cell in row] for row in (head, *rows))
    cells = [[{"type": "raw_text", "text": text} for text in row] for row in others]
    settings: list[Block] = [{"is_wrapped": True}, *({"align": "right"} for _ in head[1:])]
    return {"type": "table", "column_settings": settings, "rows": [[*map(bold, first)], *cells]}


def text_table(rows: Sequence[Sequence[str]]) -> Block:
    """Aligned columns as preformatted text, where Slack takes no native table; further rows are counted."""
    short = [[shortened(cell, WIDEST_COLUMN) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip_longest(*short, fillvalue="")]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in short]
    fit = bisect(list(accumulate(len(line) + 1 for line in lines)), MOST_TABLE)
    more = [f"+ {len(lines) - fit} more"] if fit < len(lines) else []
    return section(code([*lines[:fit], *more]))


def container(title: str, *children: Block | None) -> Block | None:
    """A collapsed box under a title that is worth reading alone; None without anything in it."""
    kept = [child for child in children if child is not None][:MOST_CHILDREN]
    opens = {"is_collapsible": True, "default_collapsed": True}
    box = {"type": "container", "title": plain(title, MOST_CONTAINER_TITLE), "child_blocks": kept, **opens}
    return box if kept else None


def feedback(action_id: str, yes: tuple[str, str], no: tuple[str, str]) -> Block:
    choices = {
        name: {
            "text": plain(label, MOST_LABEL),
            "value": value,
            "accessibility_label": plain(label, MOST_LABEL)["text"],
        }
        for name, (label, value) in (("positive_button", yes), ("negative_button", no))
    }
    return {"type": "context_actions", "elements": [{"type": "feedback_buttons", "action_id": action_id, **choices}]}


def message(text: Marked, *blocks: Block | None) -> Message:
    """A message without absent blocks, cut to Slack's limits; never raises, and its last line says if it was cut."""
    kept = [block for block in blocks if block is not None]
    encoded = [_encoded(block) for block in kept]
    if lost := _cut_to_fit(kept, encoded):
        kept.append(context(say("Cut to fit one Slack message: {parts} parts shortened or left out.", parts=lost)))
        encoded.append(_encoded(kept[-1]))
    words = str(cut(text, MOST_TEXT)).strip() or "Tailback has news of an incident."
    return Message(words, tuple(kept), tuple(encoded))


def _cut_to_fit(kept: list[Block], encoded: list[str]) -> int:
    """Halves the longest text or leaves out the last block until all fit; returns how often. Buttons stay.

    A container loses its last block first.
    """
    times = 0
    while len(kept) >= MOST_BLOCKS or sum(map(len, encoded)) >= MOST_TOTAL - 300:
        times += 1
        long = [place for place, block in enumerate(kept) if len(_words(block)) > _SHRINKABLE]
        if long and len(kept) < MOST_BLOCKS:
            place = max(long, key=lambda place: len(encoded[place]))
            words = _words(kept[place])
            kept[place] = {**kept[place], "text": mrkdwn(Marked(words), len(words) // 2)}
            encoded[place] = _encoded(kept[place])
        else:
            last = next((i for i in reversed(range(len(kept))) if kept[i]["type"] not in {"actions", "header"}), -1)
            inside = kept[last].get("child_blocks")
            if isinstance(inside, Sequence) and len(inside) > 1:
                kept[last] = {**kept[last], "child_blocks": inside[:-1]}
                encoded[last] = _encoded(kept[last])
            else:
                del kept[last], encoded[last]
    return times


def _words(block: Block) -> str:
    """The text of a section; empty for other blocks, which are never shortened."""
    text = block["text"] if block["type"] == "section" else None
    return str(text["text"]) if isinstance(text, Mapping) else ""


def sentence_of(words: Marked) -> Message:
    return message(words, section(words))


def asking(words: Marked, *presses: Block) -> Message:
    """A sentence with buttons below it."""
    return message(words, section(words), actions(*presses))


def as_of(text: Marked) -> Block:
    """A line with the time of the figures; if nothing else changed, the message is not edited."""
    return {**context(text), "block_id": AS_OF}


def digest_of(drawn: Message) -> str:
    """Equal for equal renderings, so that a message is edited only when it changes. A chart alone is no news."""
    each = zip(drawn.blocks, drawn.encoded or map(_encoded, drawn.blocks), strict=True)
    shown = (text for one, text in each if one.get("block_id") != AS_OF and one["type"] != "data_visualization")
    return digest(drawn.text, *shown)


def bullets(lines: Sequence[str], most: int) -> Marked:
    """Plain lines as a list; further lines are counted."""
    shown = [say("• {line}", line=escaped(line, MOST_BULLET)) for line in lines[:most]]
    if len(lines) > most:
        shown.append(say("+ {more} more lines", more=len(lines) - most))
    return joined("\n", *shown)


def line_sections(lines: Sequence[str]) -> list[Block]:
    """At most `MOST_LINES` whole lines, because the last words say what to do; further ones are counted."""
    parts: list[list[str]] = []
    space = 0
    for line in filter(clean, lines[:MOST_LINES]):
        needs = len(escaped(line, MOST_BULLET)) + len("• \n")
        if not parts or needs > space or len(parts[-1]) == LINES_A_SECTION:
            parts.append([])
            space = MOST_SECTION
        parts[-1].append(line)
        space -= needs
    blocks = [section(bullets(part, LINES_A_SECTION)) for part in parts]
    if len(lines) > MOST_LINES:
        blocks.append(context(say("+ {lines} that do not fit here.", lines=count(len(lines) - MOST_LINES, "line"))))
    return blocks
