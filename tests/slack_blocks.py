"""Reads blocks the way a person does: what the labels are, what the words are, what can be chosen."""

from collections.abc import Iterable, Mapping
from datetime import datetime

Json = dict[str, object]

_INTERACTIVE = ("button", "overflow")


class NotShownError(AssertionError):
    """What a test waited for did not appear; the message prints what was there instead."""


class RefusedError(AssertionError):
    """The workspace, or the app behind it, did not take what a person did; the message is what the person reads."""


def listed(source: Mapping[str, object], key: str) -> list[Json]:
    """The objects of the list under `key`, or none."""
    value = source.get(key)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def held(source: Mapping[str, object], key: str) -> Json:
    """The object under `key`, or an empty one."""
    value = source.get(key)
    return value if isinstance(value, dict) else {}


def label_of(element: Mapping[str, object]) -> str:
    for key in ("text", "label"):
        value = element.get(key)
        if isinstance(value, dict):
            return str(value.get("text", ""))
    return ""


def elements_of(blocks: Iterable[Json]) -> list[tuple[str, Json]]:
    found: list[tuple[str, Json]] = []
    for block in blocks:
        block_id = str(block.get("block_id", ""))
        if block.get("type") in ("actions", "context_actions"):
            found += [(block_id, each) for element in listed(block, "elements") for each in _pressed(element)]
        found += [(block_id, element) for _, element in elements_of(listed(block, "child_blocks"))]
        for key in ("accessory", "element"):
            if isinstance(block.get(key), dict):
                found.append((block_id, held(block, key)))
    return found


def _pressed(element: Json) -> list[Json]:
    if element.get("type") != "feedback_buttons":
        return [element]
    choices = (held(element, name) for name in ("positive_button", "negative_button"))
    return [{**choice, "type": "button", "feedback": True, "action_id": element["action_id"]} for choice in choices]


def words_of(value: object) -> list[str]:
    """All text in blocks, in reading order, without the labels of buttons and menus."""
    if isinstance(value, list):
        return [word for item in value for word in words_of(item)]
    if not isinstance(value, dict) or value.get("type") in _INTERACTIVE or "action_id" in value:
        return []
    words: list[str] = []
    for key, item in value.items():
        if isinstance(item, str):
            words += [item] if key in ("text", "alt_text", "caption", "title", "label") else []
        elif isinstance(item, int | float) and value.get("type") == "raw_number" and key == "value":
            words.append(str(item))
        else:
            words += words_of(item)
    return words


def state_of(element: Json, value: object) -> Json:
    """What `view.state.values` holds for an element that was filled in with `value`."""
    kind = str(element["type"])
    if kind in ("static_select", "radio_buttons"):
        return {"selected_option": option_named(element, str(value))}
    if kind in ("checkboxes", "multi_static_select"):
        chosen = value if isinstance(value, list | tuple | set) else [value]
        return {"selected_options": [option_named(element, str(each)) for each in chosen]}
    if kind == "datetimepicker":
        return {"selected_date_time": int(value.timestamp()) if isinstance(value, datetime) else value}
    keys = {"datepicker": "selected_date", "timepicker": "selected_time", "users_select": "selected_user"}
    if kind in keys:
        return {keys[kind]: value}
    return {"value": None if value is None else str(value)}


def option_named(element: Json, label: str) -> Json:
    options = listed(element, "options") + [
        each for group in listed(element, "option_groups") for each in listed(group, "options")
    ]
    for option in options:
        if label_of(option) == label:
            return option
    raise NotShownError(f"no option {label!r}; there are {[label_of(option) for option in options]}")
