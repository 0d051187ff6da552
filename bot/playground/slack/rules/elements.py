"""The interactive elements of Block Kit and their limits (docs.slack.dev/reference/block-kit/block-elements)."""

from bot.playground.slack.rules.shapes import Problems, Shape, Text, check_shape, items_of, say, shape
from bot.playground.slack.wire import Json

_PLACEHOLDER = {"placeholder": Text(150)}


def _option(plain: bool) -> Shape:
    texts = {"text": Text(75, plain=plain), "description": Text(75, plain=plain)}
    return shape(texts=texts, strings={"value": 75, "url": 3000}, required="text value")


_PLAIN_OPTION, _RICH_OPTION = _option(plain=True), _option(plain=False)


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


def _options(item: Json, most: int, option: Shape, pointer: str, problems: Problems) -> None:
    for index, each in enumerate(items_of(item, "options", (1, most), pointer, problems)):
        check_shape(option, each, "", f"{pointer}/options/{index}", problems)


def _overflow(item: Json, pointer: str, problems: Problems) -> None:
    _options(item, 5, _PLAIN_OPTION, pointer, problems)
    _confirm(item, pointer, problems)


def _chosen_exists(item: Json, key: str, pointer: str, problems: Problems) -> None:
    chosen = item.get(key)
    options = item.get("options")
    if chosen is None or not isinstance(options, list):
        return
    for one in chosen if isinstance(chosen, list) else [chosen]:
        if one not in options:
            say(problems, f"{pointer}/{key}", "must be one of the provided options")


def _select(item: Json, pointer: str, problems: Problems) -> None:
    if ("options" in item) == ("option_groups" in item):
        say(problems, pointer, "must define either options or option_groups")
    _options(item, 100, _PLAIN_OPTION, pointer, problems)
    for index, group in enumerate(items_of(item, "option_groups", (1, 100), pointer, problems)):
        at = f"{pointer}/option_groups/{index}"
        check_shape(_GROUP, group, "", at, problems)
        _options(group, 100, _PLAIN_OPTION, at, problems)
    _chosen_exists(item, "initial_option", pointer, problems)
    _chosen_exists(item, "initial_options", pointer, problems)
    _confirm(item, pointer, problems)


_GROUP = shape(texts={"label": Text(75)}, others="options", required="label options")


def _few(item: Json, pointer: str, problems: Problems) -> None:
    _options(item, 10, _RICH_OPTION, pointer, problems)
    _chosen_exists(item, "initial_option", pointer, problems)
    _chosen_exists(item, "initial_options", pointer, problems)
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


def _moment(item: Json, pointer: str, problems: Problems) -> None:
    value = item.get("initial_date_time")
    if value is not None and (not isinstance(value, int) or len(str(value)) != 10):
        say(problems, f"{pointer}/initial_date_time", "must be a UNIX timestamp of 10 digits")
    _confirm(item, pointer, problems)


def _text_input(item: Json, pointer: str, problems: Problems) -> None:
    for key in ("min_length", "max_length"):
        value = item.get(key, 1)
        if not isinstance(value, int) or not 0 <= value <= 3000:
            say(problems, f"{pointer}/{key}", "must be a number from 0 to 3000")


_FOCUS = "focus_on_load"
_INPUT = f"{_FOCUS} dispatch_action_config"
_PICK = f"confirm {_FOCUS}"
_SELECT = f"options option_groups initial_option {_PICK}"
_MULTI = f"options option_groups initial_options max_selected_items {_PICK}"
_PEOPLE = f"initial_user initial_users initial_channel initial_channels initial_conversation initial_conversations \
default_to_current_conversation response_url_enabled filter max_selected_items min_query_length initial_option \
initial_options {_PICK}"

_LOOKUP = shape(texts=_PLACEHOLDER, others=_PEOPLE, rule=_confirm)

ELEMENTS: dict[str, Shape] = {
    "button": shape(
        texts={"text": Text(75)},
        strings={"value": 2000, "url": 3000, "accessibility_label": 75},
        others="style confirm",
        required="text",
        rule=_button,
    ),
    "overflow": shape(others="options confirm", required="options", rule=_overflow),
    "static_select": shape(texts=_PLACEHOLDER, others=_SELECT, rule=_select),
    "multi_static_select": shape(texts=_PLACEHOLDER, others=_MULTI, rule=_select),
    "radio_buttons": shape(others=f"options initial_option {_PICK}", required="options", rule=_few),
    "checkboxes": shape(others=f"options initial_options {_PICK}", required="options", rule=_few),
    "datepicker": shape(texts=_PLACEHOLDER, strings={"initial_date": 10}, others=_PICK, rule=_confirm),
    "timepicker": shape(texts=_PLACEHOLDER, strings={"initial_time": 5, "timezone": 100}, others=_PICK, rule=_confirm),
    "datetimepicker": shape(others=f"initial_date_time {_PICK}", rule=_moment),
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
    "email_text_input": shape(texts=_PLACEHOLDER, strings={"initial_value": 3000}, others=_INPUT),
    "url_text_input": shape(texts=_PLACEHOLDER, strings={"initial_value": 3000}, others=_INPUT),
    "rich_text_input": shape(texts=_PLACEHOLDER, others=f"initial_value {_INPUT}"),
    "file_input": shape(others="filetypes max_files"),
    "image": shape(strings={"image_url": 3000, "alt_text": 2000}, others="slack_file", required="alt_text"),
    "users_select": _LOOKUP,
    "channels_select": _LOOKUP,
    "conversations_select": _LOOKUP,
    "external_select": _LOOKUP,
    "multi_users_select": _LOOKUP,
    "multi_channels_select": _LOOKUP,
    "multi_conversations_select": _LOOKUP,
    "multi_external_select": _LOOKUP,
}

_CHOICES = frozenset(name for name in ELEMENTS if name.endswith("_select")) | {
    "radio_buttons",
    "checkboxes",
    "datepicker",
    "timepicker",
}
IN_ACTIONS = _CHOICES | {"button", "overflow", "datetimepicker"}
IN_SECTION = _CHOICES | {"button", "overflow", "image"}
IN_INPUT = (_CHOICES | {"datetimepicker"}) | {name for name in ELEMENTS if name.endswith("_input")}


def check_element(item: Json, allowed: frozenset[str], pointer: str, problems: Problems) -> None:
    """One element, which must be of an allowed type."""
    kind = item.get("type")
    if not isinstance(kind, str) or kind not in allowed:
        say(problems, f"{pointer}/type", f"unsupported type: {kind}")
        return
    check_shape(ELEMENTS[kind], item, "" if kind == "image" else "action_id", pointer, problems)
