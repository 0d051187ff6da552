"""Replaces newer Slack blocks in a message; all words and buttons stay."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from bot.core.message import Block, Message
from bot.views.blocks import actions, section, text_table
from bot.views.mrkdwn import clean, joined, say
from bot.views.words.sparkline import sparkline

LADDER: tuple[frozenset[str], ...] = (
    frozenset({"data_visualization"}),
    frozenset({"table"}),
    frozenset({"container", "plan", "context_actions"}),
)
"""The blocks that are removed first, second and third after a refusal (docs/design/slack.md#fallbacks)."""
YOUNG = frozenset().union(*LADDER)
"""The newer blocks that Tailback sends; a workspace may not support them."""
PLAIN_FEEDBACK = ("positive", "negative")
"""Endings of the action_ids of plain buttons in place of thumbs; two buttons of a row cannot share one."""
SIGNS = {"pending": "○", "in_progress": "…", "complete": "✓", "error": "✗"}
Shape = Mapping[str, Any]
"""A block as `bot/views/blocks.py` and its neighbors make it."""


def kinds_of(message: Message) -> frozenset[str]:
    """The newer blocks of a message, those in containers too."""
    shapes: list[Shape] = list(message.blocks)
    return YOUNG & {each["type"] for shape in shapes for each in (shape, *shape.get("child_blocks", ()))}


def without(message: Message, kinds: frozenset[str]) -> Message:
    """The message without these blocks; no word and no button is lost."""
    if not kinds & kinds_of(message):
        return message
    return Message(message.text, tuple(made for block in message.blocks for made in _simpler(block, kinds)))


def _simpler(block: Shape, kinds: frozenset[str]) -> Iterable[Block]:
    if "child_blocks" in block:
        block = {**block, "child_blocks": [made for child in block["child_blocks"] for made in _simpler(child, kinds)]}
    return _FALLBACKS[block["type"]](block) if block["type"] in kinds else (block,)


def _sparkline(block: Shape) -> Iterable[Block]:
    """The last series up to now as a line of bars with its first, highest and last value; the text has the others."""
    points = block["chart"]["series"][0]["data"]
    values = [float(point["value"]) for point in points]
    first, peak, last = (f"{value:g}" for value in (values[0], max(values), values[-1]))
    span = f"{points[0]['label']} to {points[-1]['label']}"
    yield section(say("{title} {bars} {span}: first {first}, peak {peak}, last {last}", title=block["title"],
                      bars=sparkline(values), span=span, first=first, peak=peak, last=last))  # fmt: skip


def _table(block: Shape) -> Iterable[Block]:
    yield text_table([[_cell(cell) for cell in row] for row in block["rows"]])


def _cell(cell: Shape) -> str:
    """The words of a cell; those of the head are wrapped in rich text."""
    return clean(cell["text"] if "text" in cell else "".join(map(_cell, cell["elements"])))


def _container(block: Shape) -> Iterable[Block]:
    yield section(say("*{title}*", title=clean(block["title"]["text"])))
    yield from block["child_blocks"]


def _plan(block: Shape) -> Iterable[Block]:
    lines = (say("{sign} {title}", sign=SIGNS[task["status"]], title=task["title"]) for task in block["tasks"])
    yield section(joined("\n", say("*{title}*", title=block["title"]), *lines))


def _buttons(block: Shape) -> Iterable[Block]:
    """Feedback buttons as plain ones with the same action and value."""
    thumbs = block["elements"][0]
    yield actions(
        *(
            {"type": "button", **thumbs[f"{name}_button"], "action_id": f"{thumbs['action_id']}:{name}"}
            for name in PLAIN_FEEDBACK
        )
    )


_FALLBACKS: Mapping[str, Callable[[Shape], Iterable[Block]]] = {
    "data_visualization": _sparkline,
    "table": _table,
    "container": _container,
    "plan": _plan,
    "context_actions": _buttons,
}
