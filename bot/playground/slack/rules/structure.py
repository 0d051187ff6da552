"""The blocks that hold others or steps: container, plan and context_actions, with their limits."""

from bot.playground.slack.rules.shapes import Problems, Shape, Text, check_shape, check_text, items_of, say, shape
from bot.playground.slack.wire import Json, table, text

CHILDREN = frozenset({"actions", "context", "divider", "header", "section", "table"})
"""What both the reference and Slack's own validator accept inside a container."""
_STATUSES = frozenset({"in_progress", "complete", "error"})


def _container(block: Json, pointer: str, problems: Problems) -> None:
    if "title" not in block and "rich_text_title" not in block:
        say(problems, pointer, "missing required field: title or rich_text_title")
    if block.get("is_collapsible") and block.get("has_header_divider"):
        say(problems, f"{pointer}/has_header_divider", "not allowed with is_collapsible")
    if block.get("width", "standard") not in ("narrow", "standard", "wide", "full"):
        say(problems, f"{pointer}/width", "must be a valid enum value")
    items_of(block, "child_blocks", (1, 10), pointer, problems)


def _rich(block: Json, pointer: str, problems: Problems) -> None:
    for key in ("details", "output"):
        if key in block and table(block, key).get("type") != "rich_text":
            say(problems, f"{pointer}/{key}", "unsupported type")


def _step(task: Json, pointer: str, problems: Problems) -> None:
    _rich(task, pointer, problems)
    if task.get("status", "pending") not in _STATUSES | {"pending"}:
        say(problems, f"{pointer}/status", "must be a valid enum value")


_STEP = shape(
    strings={"title": 3000, "task_id": 255},
    others="status details output sources",
    required="title task_id",
    rule=_step,
)


def _plan(block: Json, pointer: str, problems: Problems) -> None:
    seen: set[str] = set()
    for index, task in enumerate(items_of(block, "tasks", (1, 50), pointer, problems)):
        at = f"{pointer}/tasks/{index}"
        if "type" in task:
            say(problems, at, "invalid additional property: type")
        check_shape(_STEP, task, "", at, problems)
        if text(task, "task_id") in seen:
            say(problems, f"{at}/task_id", f"task_id {text(task, 'task_id')} already exists")
        seen.add(text(task, "task_id"))


def _choice(element: Json, name: str, pointer: str, problems: Problems) -> None:
    choice = element.get(name)
    if not isinstance(choice, dict):
        say(problems, pointer, f"missing required field: {name}")
        return
    check_text(choice.get("text"), Text(75), f"{pointer}/{name}/text", problems)
    if not text(choice, "value") or len(text(choice, "value")) > 2000:
        say(problems, f"{pointer}/{name}/value", "must be from 1 to 2000 characters")


def _context_actions(block: Json, pointer: str, problems: Problems) -> None:
    for index, element in enumerate(items_of(block, "elements", (1, 5), pointer, problems)):
        at, kind = f"{pointer}/elements/{index}", element.get("type")
        if kind == "feedback_buttons":
            _choice(element, "positive_button", at, problems)
            _choice(element, "negative_button", at, problems)
        elif kind != "icon_button":
            say(problems, f"{at}/type", f"unsupported element: {kind}")
        elif element.get("icon") != "trash" or not isinstance(element.get("text"), dict):
            say(problems, at, "missing required field: text")


STRUCTURE: dict[str, Shape] = {
    "container": shape(
        texts={"title": Text(150), "subtitle": Text(150)},
        others="rich_text_title child_blocks width icon is_collapsible default_collapsed has_header_divider",
        required="child_blocks",
        rule=_container,
    ),
    "plan": shape(strings={"title": 3000}, others="tasks", required="title", rule=_plan),
    "context_actions": shape(others="elements", required="elements", rule=_context_actions),
}
