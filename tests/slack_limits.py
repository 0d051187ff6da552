"""Checks messages and views against Slack's documented limits (docs/design/slack.md#message-limits)."""

import json
import re
from collections.abc import Iterator, Mapping

from bot.core.message import Message

MOST_BLOCKS, MOST_TOTAL = 30, 10_000
_TEXT_KEYS = {"text", "title", "label", "hint", "placeholder", "confirm", "deny", "submit", "close", "description"}
_OURS = re.compile(
    r"<(@[UW][A-Z0-9]+|!subteam\^S[A-Z0-9]+|#[CGD][A-Z0-9]+|!date\^\d+\^[^|<>^]+\|[^<>|]+|https?://[^\s<>|]+\|[^<>|]+)>"
)
_ENTITY = re.compile(r"&(?!(amp|lt|gt);)")
_HIDDEN = re.compile("[\u0000-\u0009\u000b-\u001f\u007f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_MESSAGE_BLOCKS = {"header", "section", "context", "actions", "divider", "image"}
_LENGTHS = {"action_id": 255, "block_id": 255, "callback_id": 255, "private_metadata": 3000, "accessibility_label": 75}


def message_problems(message: Message) -> list[str]:
    """Every limit that a message breaks; empty when Slack takes it and nobody is pinged by accident."""
    found = [f"text: {problem}" for problem in _markup(message.text)]
    if not 0 < len(message.text) <= 4000:
        found.append(f"text has {len(message.text)} characters, 1 to 4000 are allowed")
    if len(message.blocks) > MOST_BLOCKS:
        found.append(f"{len(message.blocks)} blocks, {MOST_BLOCKS} are allowed")
    if (total := len(json.dumps(message.blocks, ensure_ascii=False))) > MOST_TOTAL:
        found.append(f"blocks have {total} characters, {MOST_TOTAL} are allowed")
    return found + _blocks(message.blocks, _MESSAGE_BLOCKS)


def view_problems(view: Mapping[str, object]) -> list[str]:
    """Every limit that a modal or App Home breaks."""
    found = []
    for part in ("title", "submit", "close"):
        if part in view:
            found += _plain(view[part], 24, part)
    if view.get("type") == "modal" and "title" not in view:
        found.append("a modal needs a title")
    blocks = view.get("blocks")
    assert isinstance(blocks, list)
    if not 0 < len(blocks) <= 100:
        found.append(f"{len(blocks)} blocks in a view")
    if any(block.get("type") == "input" for block in blocks) and "submit" not in view:
        found.append("a modal with inputs needs a submit")
    if len(json.dumps(view)) > 250_000:
        found.append("view over 250 kB")
    return found + _blocks(blocks, _MESSAGE_BLOCKS | {"input"})


def texts(value: object) -> Iterator[str]:
    """Every text that a person reads in blocks."""
    if isinstance(value, Mapping):
        if value.get("type") in {"mrkdwn", "plain_text"} and isinstance(value.get("text"), str):
            yield str(value["text"])
        for part in value.values():
            yield from texts(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from texts(part)


def _blocks(blocks: object, allowed: set[str]) -> list[str]:
    found: list[str] = []
    assert isinstance(blocks, list | tuple)
    ids = [block["block_id"] for block in blocks if "block_id" in block]
    if len(ids) != len(set(ids)):
        found.append("a block_id stands twice")
    for index, block in enumerate(blocks):
        kind = block.get("type")
        if kind not in allowed:
            found.append(f"block {index}: type {kind!r}")
            continue
        found += [f"block {index} ({kind}): {problem}" for problem in (*_CHECKS[kind](block), *_lengths(block))]
    return found


def _header(block: Mapping[str, object]) -> list[str]:
    return _plain(block.get("text"), 150, "header")


def _section(block: Mapping[str, object]) -> list[str]:
    fields = block.get("fields", [])
    assert isinstance(fields, list)
    found = [] if "text" in block or fields else ["neither text nor fields"]
    found += _mrkdwn(block["text"], 3000) if "text" in block else []
    return found + [p for one in fields for p in _mrkdwn(one, 2000)] + (["over 10 fields"] if len(fields) > 10 else [])


def _context(block: Mapping[str, object]) -> list[str]:
    elements = block.get("elements")
    assert isinstance(elements, list)
    return [p for one in elements for p in _mrkdwn(one, 2000)] + ([] if 0 < len(elements) <= 10 else ["elements"])


def _actions(block: Mapping[str, object]) -> list[str]:
    elements = block.get("elements")
    assert isinstance(elements, list)
    found = [] if 0 < len(elements) <= 5 else [f"{len(elements)} elements; show four buttons and a menu at most"]
    ids = [one.get("action_id") for one in elements]
    if len(ids) != len(set(ids)) or None in ids:
        found.append("an action_id is missing or stands twice")
    return found + [problem for one in elements for problem in _element(one)]


def _element(one: Mapping[str, object]) -> list[str]:
    kind = one.get("type")
    if kind == "button":
        value = one.get("value")
        found = _plain(one.get("text"), 75, "button")
        found += [] if isinstance(value, str) and len(value) <= 2000 else ["button value"]
        found += [] if one.get("accessibility_label") else ["button without accessibility_label"]
        confirm = one.get("confirm")
        return found + (_confirm(confirm) if isinstance(confirm, dict) else [])
    if kind in {"overflow", "static_select"}:
        options = one.get("options")
        assert isinstance(options, list)
        most = 5 if kind == "overflow" else 100
        found = [] if 0 < len(options) <= most else [f"{len(options)} options"]
        found += [p for option in options for p in _plain(option["text"], 75, "option")]
        found += ["option value"] if any(not 0 < len(option["value"]) <= 75 for option in options) else []
        chosen = one.get("initial_option")
        return found + (["initial_option is none of the options"] if chosen and chosen not in options else [])
    return [] if kind in {"plain_text_input", "number_input"} else [f"element type {kind!r}"]


def _confirm(confirm: Mapping[str, object]) -> list[str]:
    limits = {"title": 100, "text": 300, "confirm": 30, "deny": 30}
    return [problem for key, most in limits.items() for problem in _plain(confirm.get(key), most, key)]


def _input(block: Mapping[str, object]) -> list[str]:
    element = block.get("element")
    assert isinstance(element, dict)
    hint = _plain(block["hint"], 150, "hint") if "hint" in block else []
    return _plain(block.get("label"), 150, "label") + hint + _element(element)


def _image(block: Mapping[str, object]) -> list[str]:
    alt = block.get("alt_text")
    return [] if isinstance(alt, str) and 0 < len(alt) <= 2000 else ["an image needs alt_text of at most 2000"]


_CHECKS = {
    "header": _header,
    "section": _section,
    "context": _context,
    "actions": _actions,
    "input": _input,
    "divider": lambda _: [],
    "image": _image,
}


def _plain(value: object, most: int, what: str) -> list[str]:
    if not isinstance(value, dict) or value.get("type") != "plain_text" or not isinstance(value.get("text"), str):
        return [f"{what}: not plain_text"]
    words = value["text"]
    found = [] if 0 < len(words) <= most else [f"{what}: {len(words)} characters, 1 to {most} are allowed"]
    return found + ([f"{what}: angle brackets"] if "<" in words or ">" in words else []) + _characters(words)


def _mrkdwn(value: object, most: int) -> list[str]:
    if not isinstance(value, dict) or value.get("type") != "mrkdwn" or not isinstance(value.get("text"), str):
        return ["not mrkdwn"]
    words = value["text"]
    found = [] if 0 < len(words) <= most else [f"{len(words)} characters, 1 to {most} are allowed"]
    found += [] if value.get("verbatim") is True else ["not verbatim: Slack would make links and mentions of words"]
    return found + _markup(words)


def _markup(words: str) -> list[str]:
    left = _OURS.sub("", words)
    found = ["markup that the bot did not build"] if "<" in left or ">" in left else []
    found += ["a bare ampersand"] if _ENTITY.search(_OURS.sub("", words)) else []
    found += ["an open code block"] if words.count("```") % 2 else []
    return found + _characters(words)


def _characters(words: str) -> list[str]:
    return ["a hidden or control character"] if _HIDDEN.search(words) else []


def _lengths(value: object) -> list[str]:
    if isinstance(value, list | tuple):
        return [problem for part in value for problem in _lengths(part)]
    if not isinstance(value, Mapping):
        return []
    found = [f"{key} too long" for key, most in _LENGTHS.items() if len(str(value.get(key, ""))) > most]
    found += [
        f"{key} is a bare string" for key in _TEXT_KEYS if isinstance(value.get(key), str) and "type" not in value
    ]
    return found + [problem for part in value.values() for problem in _lengths(part)]
