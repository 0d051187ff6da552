"""Builds Slack blocks within Slack's limits; only this file knows them (docs/design/slack.md#message-limits)."""

import json
from collections.abc import Sequence

from bot.core.alert import digest
from bot.core.message import Block, Message
from bot.core.words import count
from bot.views.mrkdwn import Marked, clean, code, cut, escaped, flat, joined, say, shortened

MOST_TEXT = 4_000
"""`chat.update` refuses more; `chat.postMessage` does not."""
MOST_BLOCKS = 30
MOST_TOTAL = 10_000
"""Characters of all blocks as JSON; Slack refuses at about 13,000 (slackapi/bolt-js#2509)."""
MOST_SECTION, MOST_FIELD, MOST_FIELDS = 3_000, 2_000, 10
MOST_CONTEXT, MOST_CONTEXT_ELEMENTS = 2_000, 10
MOST_HEADER, MOST_LABEL, MOST_VALUE, MOST_OPTION_VALUE = 150, 75, 2_000, 75
MOST_OPTIONS, MOST_CHOICES, MOST_BUTTONS = 5, 100, 4
MOST_MODAL_TITLE = 24

WIDEST_COLUMN = 24
"""Characters of a cell in a preformatted table."""
MOST_CELL, MOST_CHILDREN, MOST_CONTAINER_TITLE = 60, 10, 150

MOST_BULLET = 600
"""A cause with figures and remedy has up to about 500 characters; the remedy is last."""

_SHRINKABLE = 600
AS_OF = "as_of"
_encoded = json.JSONEncoder(ensure_ascii=False, default=str).encode

Cell = str
"""One cell of a table, as a person reads it; nothing in it is parsed."""


def plain(text: str, most: int) -> Block:
    return {"type": "plain_text", "text": flat(text, most) or "–"}


def mrkdwn(text: Marked, most: int = MOST_SECTION) -> Block:
    """A `mrkdwn` object; verbatim, so that Slack makes no links, channels or mentions out of words."""
    return {"type": "mrkdwn", "text": str(cut(text, most)) or "–", "verbatim": True}


def header(text: str) -> Block:
    return {"type": "header", "text": plain(text, MOST_HEADER)}


def section(text: Marked) -> Block:
    return {"type": "section", "text": mrkdwn(text)}


def fields(*texts: Marked) -> Block:
    """Up to ten short texts in two columns."""
    return {"type": "section", "fields": [mrkdwn(text, MOST_FIELD) for text in texts[:MOST_FIELDS]]}


def context(*texts: Marked) -> Block:
    return {"type": "context", "elements": [mrkdwn(text, MOST_CONTEXT) for text in texts[:MOST_CONTEXT_ELEMENTS]]}


def divider() -> Block:
    return {"type": "divider"}


def actions(*elements: Block) -> Block:
    return {"type": "actions", "elements": list(elements)}


def button(label: str, action_id: str, value: str, accessibility_label: str, *, primary: bool = False) -> Block:
    """A button; `value` is an opaque id."""
    made: dict[str, object] = {
        "type": "button",
        "text": plain(label, MOST_LABEL),
        "action_id": action_id,
        "value": value[:MOST_VALUE],
        "accessibility_label": plain_words(accessibility_label) if accessibility_label else plain_words(label),
    }
    if primary:
        made["style"] = "primary"
    return made


def option(label: str, value: str) -> Block:
    return {"text": plain(label, MOST_LABEL), "value": value[:MOST_OPTION_VALUE]}


def overflow(action_id: str, options: Sequence[Block]) -> Block:
    return {"type": "overflow", "action_id": action_id, "options": list(options[:MOST_OPTIONS])}


def table(head: Sequence[Cell], rows: Sequence[Sequence[Cell]]) -> Block:
    """A native table with a bold first row; the first column wraps, the others are aligned to the right."""
    settings: list[Block] = [{"is_wrapped": True}, *({"align": "right"} for _ in head[1:])]
    return {"type": "table", "column_settings": settings, "rows": [_cells(head, bold=True), *map(_cells, rows)]}


def _cells(row: Sequence[Cell], *, bold: bool = False) -> list[Block]:
    texts = [flat(cell, MOST_CELL) or "–" for cell in row]
    return [_bold(text) if bold else {"type": "raw_text", "text": text} for text in texts]


def _bold(text: str) -> Block:
    words = {"type": "text", "text": text, "style": {"bold": True}}
    return {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": [words]}]}


def text_table(rows: Sequence[Sequence[str]]) -> Block:
    """Aligned columns as preformatted text, where Slack takes no native table; further rows are counted."""
    short = [[shortened(cell, WIDEST_COLUMN) for cell in row] for row in rows]
    widths = [max(len(row[n]) for row in short if n < len(row)) for n in range(max(map(len, short), default=0))]
    lines, space = list[str](), 2800
    for row in short:
        line = "  ".join(text.ljust(widths[n]) for n, text in enumerate(row)).rstrip()
        space -= len(line) + 1
        if space < 0:
            lines.append(f"+ {len(short) - len(lines)} more")
            break
        lines.append(line)
    return section(code(lines))


def container(title: str, *children: Block | None) -> Block | None:
    """A collapsed box under a title that is worth reading alone; None without anything in it."""
    kept = [child for child in children if child is not None][:MOST_CHILDREN]
    if not kept:
        return None
    opens = {"is_collapsible": True, "default_collapsed": True}
    return {"type": "container", "title": plain(title, MOST_CONTAINER_TITLE), "child_blocks": kept, **opens}


def feedback(action_id: str, yes: tuple[str, str], no: tuple[str, str]) -> Block:
    """Two thumbs, each with its label and value."""
    choices = {
        name: {"text": plain(label, MOST_LABEL), "value": value, "accessibility_label": plain_words(label)}
        for name, (label, value) in (("positive_button", yes), ("negative_button", no))
    }
    return {"type": "context_actions", "elements": [{"type": "feedback_buttons", "action_id": action_id, **choices}]}


def plain_words(label: str) -> str:
    return flat(label, MOST_LABEL) or "–"


def message(text: Marked, *blocks: Block | None) -> Message:
    """A message within Slack's limits, without absent blocks."""
    return fit(Message(str(text), tuple(block for block in blocks if block is not None)))


def as_of(text: Marked) -> Block:
    """A line with the time of the figures; if nothing else changed, the message is not edited."""
    return {**context(text), "block_id": AS_OF}


def digest_of(drawn: Message) -> str:
    """Equal for equal renderings, so that a message is edited only when it changes. A chart alone is no news."""
    each = zip(drawn.blocks, drawn.encoded or map(_encoded, drawn.blocks), strict=True)
    shown = (text for one, text in each if one.get("block_id") != AS_OF and one["type"] != "data_visualization")
    return digest(drawn.text, *shown)


def fit(drawn: Message) -> Message:
    """The message cut to Slack's limits; never raises, and its last line says if something was cut."""
    text = str(cut(Marked(drawn.text.strip()), MOST_TEXT)) or "Tailback has news of an incident."
    kept = [block for block in (_whole(block) for block in drawn.blocks) if block is not None]
    encoded = [_encoded(block) for block in kept]
    lost = len(drawn.blocks) - len(kept) + _fewer(kept, encoded)
    if lost:
        kept.append(context(say("Cut to fit one Slack message: {parts} parts shortened or left out.", parts=lost)))
        encoded.append(_encoded(kept[-1]))
    return Message(text, tuple(kept), tuple(encoded))


def _whole(block: Block) -> Block | None:
    """The block with its texts cut; None if nothing remains."""
    made = dict(block)
    text = made.get("text")
    if isinstance(text, dict):
        made["text"] = _cut_text(text, MOST_HEADER if made.get("type") == "header" else MOST_SECTION)
    for key, most, number in (("fields", MOST_FIELD, MOST_FIELDS), ("elements", MOST_CONTEXT, MOST_CONTEXT_ELEMENTS)):
        parts = made.get(key)
        if isinstance(parts, list) and (key == "fields" or made.get("type") == "context"):
            made[key] = [_cut_text(part, most) for part in parts[:number] if isinstance(part, dict)]
    empty = made.get("elements") == [] or (
        made.get("type") == "section" and not (made.get("text") or made.get("fields"))
    )
    return None if empty else made


def _cut_text(text: Block, most: int) -> Block:
    words = text.get("text")
    if not isinstance(words, str) or len(words) <= most:
        return text
    return {**text, "text": str(cut(Marked(words), most)) if text.get("type") == "mrkdwn" else flat(words, most)}


def _fewer(kept: list[Block], encoded: list[str]) -> int:
    """Bring the blocks within number and total size; returns how many parts were cut. Buttons and heading stay."""
    given = 0
    for _ in range(10 * len(kept) + 10):
        if len(kept) < MOST_BLOCKS and sum(map(len, encoded)) < MOST_TOTAL - 300:
            break
        longest = max(range(len(kept)), key=lambda index: len(encoded[index]) if _shrinkable(kept[index]) else 0)
        given += 1
        if len(kept) < MOST_BLOCKS and _shrinkable(kept[longest]):
            kept[longest] = _halved(kept[longest])
            encoded[longest] = _encoded(kept[longest])
            continue
        last = next((i for i in reversed(range(len(kept))) if kept[i].get("type") not in {"actions", "header"}), -1)
        del kept[last], encoded[last]
    return given


def _shrinkable(block: Block) -> bool:
    text = block.get("text")
    words = text.get("text") if isinstance(text, dict) else None
    return block.get("type") == "section" and isinstance(words, str) and len(words) > _SHRINKABLE


def _halved(block: Block) -> Block:
    text = block.get("text")
    if not isinstance(text, dict):
        return block
    return {**block, "text": _cut_text(text, len(str(text.get("text"))) // 2)}


def bullets(lines: Sequence[str], most: int) -> Marked:
    """Plain lines as a list; further lines are counted."""
    shown = [say("• {line}", line=escaped(line, MOST_BULLET)) for line in lines[:most]]
    if len(lines) > most:
        shown.append(say("+ {more} more lines", more=len(lines) - most))
    return joined("\n", *shown)


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
    space = 0
    for line in lines:
        needs = len(escaped(line, MOST_BULLET)) + len("• \n")
        if not parts or needs > space or len(parts[-1]) == LINES_A_SECTION:
            parts.append([])
            space = MOST_SECTION
        parts[-1].append(line)
        space -= needs
    return parts
