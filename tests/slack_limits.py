"""Checks messages and views against Slack's rules, as the stand-in enforces them, and our own stricter ones."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence

from bot.core.message import Message
from bot.playground.slack.rules.blocks import check_blocks
from bot.playground.slack.rules.messages import check_view
from bot.playground.slack.wire import SlackError

MOST_BLOCKS, MOST_TOTAL, MOST_ELEMENTS = 30, 10_000, 5
_OURS = re.compile(
    r"<(@[UW][A-Z0-9]+|!subteam\^S[A-Z0-9]+|#[CGD][A-Z0-9]+|!date\^\d+\^[^|<>^]+\|[^<>|]+|https?://[^\s<>|]+\|[^<>|]+)>"
)
_ENTITY = re.compile(r"&(?!(amp|lt|gt);)")
_HIDDEN = re.compile("[\u0000-\u0009\u000b-\u001f\u007f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_READ = {"mrkdwn", "plain_text", "raw_text", "text"}


def message_problems(message: Message) -> list[str]:
    """Every limit that a message breaks; empty when Slack takes it and nobody is pinged by accident."""
    found = [f"text: {problem}" for problem in _markup(message.text)]
    if not 0 < len(message.text) <= 4000:
        found.append(f"text has {len(message.text)} characters, 1 to 4000 are allowed")
    if len(message.blocks) > MOST_BLOCKS:
        found.append(f"{len(message.blocks)} blocks, {MOST_BLOCKS} are allowed")
    if (total := len(json.dumps(message.blocks, ensure_ascii=False, separators=(",", ":")))) > MOST_TOTAL:
        found.append(f"blocks have {total} characters, {MOST_TOTAL} are allowed")
    return found + check_blocks(list(message.blocks), "message", frozenset()) + _ours(message.blocks)


def view_problems(view: Mapping[str, object]) -> list[str]:
    try:
        check_view(dict(view), frozenset())
    except SlackError as refused:
        return [refused.code, str(refused.extra), *_ours(view)]
    return _ours(view)


def texts(value: object) -> Iterator[str]:
    if isinstance(value, Mapping):
        if value.get("type") in _READ and isinstance(value.get("text"), str):
            yield str(value["text"])
        if isinstance(value.get("title"), str):
            yield str(value["title"])
        for part in value.values():
            yield from texts(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from texts(part)


def _ours(value: object) -> list[str]:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [problem for part in value for problem in _ours(part)]
    if not isinstance(value, Mapping):
        return []
    kind, words, found = value.get("type"), value.get("text"), list[str]()
    if kind == "mrkdwn":
        found += [] if value.get("verbatim") is True else ["not verbatim: Slack would make links and mentions of words"]
        found += _markup(str(words))
    elif kind == "plain_text":
        found += ["angle brackets"] if re.search("[<>]", str(words)) else []
        found += _characters(str(words))
    elif kind in _READ:
        found += _characters(str(words))
    elif kind == "button" and not value.get("accessibility_label"):
        found.append("button without accessibility_label")
    elif kind == "actions" and '"overflow"' in json.dumps(list(_list(value.get("elements")))[MOST_ELEMENTS:]):
        found.append("a client shows five elements: the menu is hidden")
    return found + [problem for part in value.values() for problem in _ours(part)]


def _list(value: object) -> Iterator[object]:
    yield from value if isinstance(value, list) else ()


def _markup(words: str) -> list[str]:
    left = _OURS.sub("", words)
    found = ["markup that the bot did not build"] if "<" in left or ">" in left else []
    found += ["a bare ampersand"] if _ENTITY.search(left) else []
    found += ["an open code block"] if words.count("```") % 2 else []
    return found + _characters(words)


def _characters(words: str) -> list[str]:
    return ["a hidden or control character"] if _HIDDEN.search(words) else []
