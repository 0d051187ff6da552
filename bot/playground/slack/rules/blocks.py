"""Checks blocks and views against their shapes, and words the problems as Slack does."""

from collections.abc import Sequence

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from bot.playground.slack.rules.shapes import BLOCKS, TAGS, ViewFrame
from bot.playground.slack.wire import Json, rows, text

Problems = list[str]
MESSAGE_BLOCKS, VIEW_BLOCKS = 50, 100
CHILDREN = frozenset({"actions", "context", "divider", "header", "section", "table"})
"""What both the reference and Slack's own validator accept inside a container."""
_IN_VIEWS = frozenset({"section", "header", "divider", "context", "actions", "input"})
_MOST_CHARTS = 2
_WORDS = {
    "missing": "missing required field: {name}",
    "extra_forbidden": "invalid additional property: {name}",
    "union_tag_invalid": "unsupported type: {tag}",
    "literal_error": "must be a valid enum value",
    "string_too_short": "must be more than 0 characters",
    "too_long": "no more than {max_length} items allowed",
    "too_short": "no fewer than {min_length} items allowed",
    "string_type": "must provide a string",
    "bool_type": "must provide a boolean",
    "list_type": "must provide an array",
    "model_type": "must provide an object",
    "dict_type": "must provide an object",
    "float_type": "must provide a number",
    "finite_number": "must provide a number",
    "slack": "{what}",
}
"""By pydantic's kind of error; others keep its words."""


def say(problems: Problems, pointer: str, what: str) -> None:
    """Notes a problem the way Slack words it."""
    problems.append(f"[ERROR] {what} [json-pointer:{pointer}]")


def check_blocks(blocks: Sequence[object], surface: str, refused: frozenset[str]) -> Problems:
    """All problems of the blocks of a `message`, `modal` or `home`; `refused` names types this workspace lacks."""
    problems: Problems = []
    most = MESSAGE_BLOCKS if surface == "message" else VIEW_BLOCKS
    if len(blocks) > most:
        say(problems, "/blocks", f"no more than {most} items allowed")
    allowed = BLOCKS.keys() if surface == "message" else _IN_VIEWS
    _check_each(blocks, frozenset(allowed) - refused, "/blocks", problems)
    known = [block for block in blocks if isinstance(block, dict)]
    kinds = [one.get("type") for block in known for one in (block, *rows(block, "child_blocks"))]
    if kinds.count("data_visualization") > _MOST_CHARTS:
        say(problems, "/blocks", f"no more than {_MOST_CHARTS} data_visualization blocks allowed")
    if kinds.count("table") > 1:
        say(problems, "/blocks", "only_one_table_allowed")
    return problems


def _check_each(blocks: Sequence[object], allowed: frozenset[str], at: str, problems: Problems) -> None:
    seen: set[str] = set()
    for index, block in enumerate(blocks):
        pointer = f"{at}/{index}"
        kind = block.get("type") if isinstance(block, dict) else None
        if not isinstance(block, dict) or kind not in allowed:
            say(problems, f"{pointer}/type", f"unsupported type: {kind}")
            continue
        try:
            BLOCKS[kind].model_validate(block)
        except ValidationError as error:
            _say_all(error, pointer, problems)
        if kind == "container":
            _check_each(rows(block, "child_blocks"), CHILDREN & allowed, f"{pointer}/child_blocks", problems)
        block_id = text(block, "block_id")
        if block_id and block_id in seen:
            say(problems, f"{pointer}/block_id", f"`block_id` {block_id} already exists")
        seen.add(block_id)


def check_view(view: Json) -> Problems:
    """All problems of a modal or App Home outside its blocks; None is the same as absent."""
    problems: Problems = []
    try:
        ViewFrame.model_validate({key: value for key, value in view.items() if value is not None})
    except ValidationError as error:
        _say_all(error, "/view", problems)
    if view.get("type") == "modal" and "title" not in view:
        say(problems, "/view", "missing required field: title")
    if (
        view.get("type") == "modal"
        and "submit" not in view
        and "input" in {b.get("type") for b in rows(view, "blocks")}
    ):
        say(problems, "/view", "missing required field: submit (a view with an input block needs it)")
    return problems


def _say_all(error: ValidationError, pointer: str, problems: Problems) -> None:
    for one in error.errors(include_url=False):
        path = [str(part) for part in one["loc"] if part not in TAGS]
        name = path.pop() if one["type"] in ("missing", "extra_forbidden") else ""
        path += ["type"] if one["type"] == "union_tag_invalid" else []
        say(problems, "/".join([pointer, *path]), _worded(one, name))


def _worded(one: ErrorDetails, name: str) -> str:
    limits = one.get("ctx", {})
    if "max_length" in limits:
        unit = "characters" if one["type"] == "string_too_long" else "items"
        return f"no more than {limits['max_length']} {unit} allowed"
    if "min_length" in limits:
        return (
            "must be more than 0 characters" if one["type"] == "string_too_short" else "no fewer than 1 items allowed"
        )
    if one["type"] == "literal_error" and one["loc"][-1] == "type":
        return f"unsupported type: {one['input']}"
    return _WORDS.get(one["type"], one["msg"]).format(name=name, **limits)
