"""The grammar of Block Kit objects: which keys an object may have, and how long its texts may be."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from bot.playground.slack.wire import Json

Problems = list[str]
Rule = Callable[[Json, str, Problems], None]

_TEXT_KEYS = {"plain_text": frozenset({"type", "text", "emoji"}), "mrkdwn": frozenset({"type", "text", "verbatim"})}
_ID_LENGTH = 255


@dataclass(frozen=True, slots=True)
class Text:
    """A text object of at most `most` characters; `plain` refuses mrkdwn."""

    most: int
    plain: bool = True


@dataclass(frozen=True, slots=True)
class Shape:
    """One kind of object: `strings` are plain strings with maximum length; `others` are allowed or go to `rule`."""

    texts: Mapping[str, Text] = field(default_factory=dict)
    strings: Mapping[str, int] = field(default_factory=dict)
    others: frozenset[str] = frozenset()
    required: frozenset[str] = frozenset()
    rule: Rule | None = None


def shape(
    texts: Mapping[str, Text] | None = None,
    strings: Mapping[str, int] | None = None,
    others: str = "",
    required: str = "",
    rule: Rule | None = None,
) -> Shape:
    """A `Shape` whose key lists are written as words with blanks between."""
    return Shape(texts or {}, strings or {}, frozenset(others.split()), frozenset(required.split()), rule)


def say(problems: Problems, pointer: str, what: str) -> None:
    """Notes a problem the way Slack words it."""
    problems.append(f"[ERROR] {what} [json-pointer:{pointer}]")


def check_text(value: object, wanted: Text, pointer: str, problems: Problems) -> None:
    """A text object: its type, its keys, not empty and not too long."""
    if not isinstance(value, dict):
        say(problems, pointer, "must provide an object")
        return
    kind = value.get("type")
    keys = _TEXT_KEYS.get(kind) if isinstance(kind, str) else None
    if keys is None or (wanted.plain and kind != "plain_text"):
        say(problems, f"{pointer}/type", f"unsupported type: {kind}")
        return
    content = value.get("text")
    if not isinstance(content, str):
        say(problems, f"{pointer}/text", "must provide a string")
    elif not content:
        say(problems, f"{pointer}/text", "must be more than 0 characters")
    elif len(content) > wanted.most:
        say(problems, f"{pointer}/text", f"must be less than {wanted.most + 1} characters")
    for key in value.keys() - keys:
        say(problems, pointer, f"invalid additional property: {key}")


def check_string(value: object, most: int, pointer: str, problems: Problems) -> None:
    """A plain string that is not too long."""
    if not isinstance(value, str):
        say(problems, pointer, "must provide a string")
    elif len(value) > most:
        say(problems, pointer, f"must be less than {most + 1} characters")


def check_shape(wanted: Shape, item: Json, id_key: str, pointer: str, problems: Problems) -> None:
    """One object against its shape; `id_key` is the name of its identifier (`block_id`, `action_id` or none)."""
    for key in wanted.required:
        if key not in item:
            say(problems, pointer, f"missing required field: {key}")
    for key, value in item.items():
        if key == "type" or key in wanted.others:
            continue
        if key == id_key:
            check_string(value, _ID_LENGTH, f"{pointer}/{key}", problems)
        elif key in wanted.texts:
            check_text(value, wanted.texts[key], f"{pointer}/{key}", problems)
        elif key in wanted.strings:
            check_string(value, wanted.strings[key], f"{pointer}/{key}", problems)
        else:
            say(problems, pointer, f"invalid additional property: {key}")
    if wanted.rule is not None:
        wanted.rule(item, pointer, problems)


def items_of(item: Json, key: str, bounds: tuple[int, int], pointer: str, problems: Problems) -> list[Json]:
    """The objects under `key`, whose number must lie within `bounds`; absent is none and no problem here."""
    least, most = bounds
    value = item.get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        say(problems, f"{pointer}/{key}", "must provide an array")
        return []
    if len(value) < least:
        say(problems, f"{pointer}/{key}", f"no fewer than {least} items allowed")
    if len(value) > most:
        say(problems, f"{pointer}/{key}", f"no more than {most} items allowed")
    for index, each in enumerate(value):
        if not isinstance(each, dict):
            say(problems, f"{pointer}/{key}/{index}", "must provide an object")
    return [each for each in value if isinstance(each, dict)]
