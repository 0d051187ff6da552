"""The interactive elements of Block Kit and their limits (docs.slack.dev/reference/block-kit/block-elements)."""

from bot.playground.slack.rules.shapes import Problems, Shape, Text, check_shape, items_of, say, shape
from bot.playground.slack.wire import Json

_PLACEHOLDER = {"placeholder": Text(150)}


_OPTION = shape(
    texts={"text": Text(75), "description": Text(75)}, strings={"value": 75, "url": 3000}, required="text value"
)


def _style(item: Json, pointer: str, problems: Problems) -> None:
    if item.get("style", "primary") not in ("primary", "danger"):
        say(problems, f"{pointer}/style", "must be primary or danger")


_CONFIRM = shape(
    texts={"title": Text(100), "text": Text(300, plain=False), "confirm": Text(30), "deny": Text(30)},
    others="style",
    required="title text confirm deny",
    rule=_style,
)


def _confirm(item: Json, pointer: str, problems: Problems) -> None:
    value = item.get("confirm")
    if isinstance(value, dict):
        check_shape(_CONFIRM, value, "", f"{pointer}/confirm", problems)
    elif value is not None:
        say(problems, f"{pointer}/confirm", "must provide an object")


def _button(item: Json, pointer: str, problems: Problems) -> None:
    _style(item, pointer, problems)
    _confirm(item, pointer, problems)


def _options(item: Json, most: int, pointer: str, problems: Problems) -> None:
    for index, each in enumerate(items_of(item, "options", (1, most), pointer, problems)):
        check_shape(_OPTION, each, "", f"{pointer}/options/{index}", problems)


def _overflow(item: Json, pointer: str, problems: Problems) -> None:
    _options(item, 5, pointer, problems)
    _confirm(item, pointer, problems)


def _select(item: Json, pointer: str, problems: Problems) -> None:
    _options(item, 100, pointer, problems)
    chosen = item.get("initial_option")
    if chosen is not None and chosen not in items_of(item, "options", (1, 100), pointer, []):
        say(problems, f"{pointer}/initial_option", "must be one of the provided options")
    _confirm(item, pointer, problems)


def _number(item: Json, pointer: str, problems: Problems) -> None:
    if not isinstance(item.get("is_decimal_allowed"), bool):
        say(problems, f"{pointer}/is_decimal_allowed", "must provide a boolean")
    for key in ("min_value", "max_value", "initial_value"):
        value = item.get(key)
        if isinstance(value, str) and not _is_number(value):
            say(problems, f"{pointer}/{key}", "must be a number written as a string")


def _is_number(value: str) -> bool:
    try:
        float(value)
    except ValueError:
        return False
    return True


def _text_input(item: Json, pointer: str, problems: Problems) -> None:
    for key in ("min_length", "max_length"):
        value = item.get(key, 1)
        if not isinstance(value, int) or not 0 <= value <= 3000:
            say(problems, f"{pointer}/{key}", "must be a number from 0 to 3000")


_INPUT = "focus_on_load dispatch_action_config"

ELEMENTS: dict[str, Shape] = {
    "button": shape(
        texts={"text": Text(75)},
        strings={"value": 2000, "url": 3000, "accessibility_label": 75},
        others="style confirm",
        required="text",
        rule=_button,
    ),
    "overflow": shape(others="options confirm", required="options", rule=_overflow),
    "static_select": shape(
        texts=_PLACEHOLDER, others="options initial_option confirm focus_on_load", required="options", rule=_select
    ),
    "plain_text_input": shape(
        texts=_PLACEHOLDER,
        strings={"initial_value": 3000},
        others=f"multiline min_length max_length {_INPUT}",
        rule=_text_input,
    ),
    "number_input": shape(
        texts=_PLACEHOLDER,
        strings={"initial_value": 100, "min_value": 100, "max_value": 100},
        others=f"is_decimal_allowed {_INPUT}",
        required="is_decimal_allowed",
        rule=_number,
    ),
}
"""Those that the product uses; every other type is refused."""

IN_ACTIONS = IN_SECTION = frozenset({"button", "overflow", "static_select"})
IN_INPUT = frozenset({"static_select", "plain_text_input", "number_input"})


def check_element(item: Json, allowed: frozenset[str], pointer: str, problems: Problems) -> None:
    """One element, which must be of an allowed type."""
    kind = item.get("type")
    if not isinstance(kind, str) or kind not in allowed:
        say(problems, f"{pointer}/type", f"unsupported type: {kind}")
        return
    check_shape(ELEMENTS[kind], item, "action_id", pointer, problems)
