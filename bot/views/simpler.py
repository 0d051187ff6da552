"""Replaces newer Slack blocks in a message; all words and buttons stay."""

from collections.abc import Callable, Iterable, Mapping

from bot.core.message import Block, Message
from bot.views.blocks import section, text_table
from bot.views.chart import FUTURE, sparkline
from bot.views.mrkdwn import clean, joined, say

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


def kinds_of(message: Message) -> frozenset[str]:
    """The newer blocks of a message, those in containers too."""
    return frozenset(kind for block in message.blocks for kind in _kinds(block)) & YOUNG


def _kinds(block: Block) -> Iterable[str]:
    yield str(block.get("type"))
    for child in _list(block.get("child_blocks")):
        if isinstance(child, Mapping):
            yield from _kinds(child)


def without(message: Message, kinds: frozenset[str]) -> Message:
    """The message without these blocks; no word and no button is lost."""
    if not kinds & kinds_of(message):
        return message
    return Message(message.text, tuple(made for block in message.blocks for made in _simpler(block, kinds)))


def _simpler(block: Block, kinds: frozenset[str]) -> Iterable[Block]:
    children = [child for child in _list(block.get("child_blocks")) if isinstance(child, Mapping)]
    if children:
        block = {**block, "child_blocks": [made for child in children for made in _simpler(child, kinds)]}
    kind = str(block.get("type"))
    return _FALLBACKS[kind](block) if kind in kinds else (block,)


def _sparkline(block: Block) -> Iterable[Block]:
    """The last series up to now as a line of bars with its first, highest and last value; the text has the others."""
    chart = block.get("chart")
    every = _list(chart.get("series")) if isinstance(chart, Mapping) else []
    series = [one for one in every if isinstance(one, Mapping)]
    points = [one for one in _list(series[-1].get("data")) if isinstance(one, Mapping)] if series else []
    points = [one for one in points if not str(one.get("label")).startswith(FUTURE)]
    if not points:
        return
    values = [float(str(point.get("value"))) for point in points]
    ends = (values[0], max(values), values[-1])
    first, peak, last = (f"{value:g}" for value in ends)
    span = say("{begin} to {end}", begin=str(points[0].get("label")), end=str(points[-1].get("label")))
    yield section(say("{title} {bars} {span}: first {first}, peak {peak}, last {last}", title=str(block.get("title")),
                      bars=sparkline(values), span=span, first=first, peak=peak, last=last))  # fmt: skip


def _table(block: Block) -> Iterable[Block]:
    yield text_table([[_cell(cell) for cell in _list(row)] for row in _list(block.get("rows"))])


def _cell(cell: object) -> str:
    if not isinstance(cell, Mapping):
        return ""
    if "text" in cell:
        return clean(str(cell["text"]))
    return clean("".join(_cell(part) for part in _list(cell.get("elements"))))


def _container(block: Block) -> Iterable[Block]:
    title = _cell(block.get("title") or block.get("rich_text_title"))
    if title:
        yield section(say("*{title}*", title=title))
    yield from (child for child in _list(block.get("child_blocks")) if isinstance(child, Mapping))


def _plan(block: Block) -> Iterable[Block]:
    tasks = [task for task in _list(block.get("tasks")) if isinstance(task, Mapping)]
    lines = [
        say("{sign} {title}", sign=SIGNS.get(str(task.get("status")), "○"), title=str(task.get("title", "")))
        for task in tasks
    ]
    yield section(joined("\n", say("*{title}*", title=str(block.get("title", ""))), *lines))


def _buttons(block: Block) -> Iterable[Block]:
    """Feedback buttons as plain ones with the same action and value."""
    made: list[Block] = []
    for element in _list(block.get("elements")):
        if not isinstance(element, Mapping):
            continue
        for name in PLAIN_FEEDBACK:
            choice = element.get(f"{name}_button")
            if isinstance(choice, Mapping):
                action = {"action_id": f"{element.get('action_id')}:{name}", "value": choice.get("value")}
                spoken = choice.get("accessibility_label") or _cell(choice.get("text"))
                made.append({"type": "button", "text": choice.get("text"), "accessibility_label": spoken, **action})
    if made:
        yield {"type": "actions", "elements": made}


def _list(value: object) -> list[object]:
    return list(value) if isinstance(value, list | tuple) else []


_FALLBACKS: Mapping[str, Callable[[Block], Iterable[Block]]] = {
    "data_visualization": _sparkline,
    "table": _table,
    "container": _container,
    "plan": _plan,
    "context_actions": _buttons,
}
