"""The blocks of Block Kit, where each may stand, and their limits (docs.slack.dev/reference/block-kit/blocks)."""

from collections.abc import Sequence

from bot.playground.slack.rules.charts import check_data_visualization, check_table, check_tables_together
from bot.playground.slack.rules.elements import IN_ACTIONS, IN_INPUT, IN_SECTION, check_element
from bot.playground.slack.rules.shapes import Problems, Shape, Text, check_shape, check_text, items_of, say, shape
from bot.playground.slack.rules.structure import CHILDREN, STRUCTURE
from bot.playground.slack.wire import Json, rows, text

MESSAGE_BLOCKS, VIEW_BLOCKS = 50, 100


def _section(block: Json, pointer: str, problems: Problems) -> None:
    if "text" not in block and "fields" not in block:
        say(problems, pointer, "missing required field: text or fields")
    for index, each in enumerate(items_of(block, "fields", (1, 10), pointer, problems)):
        check_text(each, Text(2000, plain=False), f"{pointer}/fields/{index}", problems)
    accessory = block.get("accessory")
    if isinstance(accessory, dict):
        check_element(accessory, IN_SECTION, f"{pointer}/accessory", problems)
    elif accessory is not None:
        say(problems, f"{pointer}/accessory", "must provide an object")


def _actions(block: Json, pointer: str, problems: Problems) -> None:
    seen: set[str] = set()
    for index, each in enumerate(items_of(block, "elements", (1, 25), pointer, problems)):
        check_element(each, IN_ACTIONS, f"{pointer}/elements/{index}", problems)
        action_id = text(each, "action_id")
        if action_id and action_id in seen:
            say(
                problems,
                f"{pointer}/elements/{index}/action_id",
                f"`action_id` {action_id} already exists in this block",
            )
        seen.add(action_id)


def _context(block: Json, pointer: str, problems: Problems) -> None:
    for index, each in enumerate(items_of(block, "elements", (1, 10), pointer, problems)):
        check_text(each, Text(3000, plain=False), f"{pointer}/elements/{index}", problems)


def _input(block: Json, pointer: str, problems: Problems) -> None:
    element = block.get("element")
    if isinstance(element, dict):
        check_element(element, IN_INPUT, f"{pointer}/element", problems)
    elif element is not None:
        say(problems, f"{pointer}/element", "must provide an object")


_BLOCKS: dict[str, Shape] = {
    "section": shape(texts={"text": Text(3000, plain=False)}, others="fields accessory expand", rule=_section),
    "header": shape(texts={"text": Text(150)}, required="text"),
    "divider": shape(),
    "context": shape(others="elements", required="elements", rule=_context),
    "actions": shape(others="elements", required="elements", rule=_actions),
    "input": shape(
        texts={"label": Text(2000), "hint": Text(2000)},
        others="element dispatch_action optional",
        required="label element",
        rule=_input,
    ),
    "table": shape(others="rows column_settings", required="rows", rule=check_table),
    "data_visualization": shape(
        strings={"title": 50}, others="chart", required="title chart", rule=check_data_visualization
    ),
    **STRUCTURE,
}

_EVERYWHERE = frozenset({"section", "header", "divider", "context", "actions", "input"})
_ALLOWED = {
    "message": _EVERYWHERE | {"table", "data_visualization"} | STRUCTURE.keys(),
    "modal": _EVERYWHERE,
    "home": _EVERYWHERE,
}
_MOST_CHARTS = 2


def check_blocks(blocks: Sequence[object], surface: str, refused: frozenset[str]) -> Problems:
    """All problems of the blocks of a `message`, `modal` or `home`; `refused` names types this workspace lacks."""
    problems: Problems = []
    most = MESSAGE_BLOCKS if surface == "message" else VIEW_BLOCKS
    if len(blocks) > most:
        say(problems, "/blocks", f"no more than {most} items allowed")
    _check_each(blocks, _ALLOWED[surface] - refused, "/blocks", problems)
    _check_together([block for block in blocks if isinstance(block, dict)], problems)
    return problems


def _check_each(blocks: Sequence[object], allowed: frozenset[str], at: str, problems: Problems) -> None:
    seen: set[str] = set()
    for index, block in enumerate(blocks):
        pointer = f"{at}/{index}"
        kind = block.get("type") if isinstance(block, dict) else None
        if not isinstance(block, dict) or not isinstance(kind, str) or kind not in allowed:
            say(problems, f"{pointer}/type", f"unsupported type: {kind}")
            continue
        check_shape(_BLOCKS[kind], block, "block_id", pointer, problems)
        if kind == "container":
            _check_each(rows(block, "child_blocks"), CHILDREN & allowed, f"{pointer}/child_blocks", problems)
        block_id = text(block, "block_id")
        if block_id and block_id in seen:
            say(problems, f"{pointer}/block_id", f"`block_id` {block_id} already exists")
        seen.add(block_id)


def _check_together(blocks: list[Json], problems: Problems) -> None:
    kinds = [block.get("type") for block in blocks]
    if kinds.count("data_visualization") > _MOST_CHARTS:
        say(problems, "/blocks", f"no more than {_MOST_CHARTS} data_visualization blocks allowed")
    check_tables_together([*blocks, *(child for block in blocks for child in rows(block, "child_blocks"))], problems)
