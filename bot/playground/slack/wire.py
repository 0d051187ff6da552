"""Reads JSON objects of unknown shape without trusting them."""

import json
from collections.abc import Mapping

Json = dict[str, object]


class SlackError(Exception):
    """An answer `{"ok": false, "error": code}`; `extra` holds further top-level fields."""

    def __init__(self, code: str, **extra: object) -> None:
        super().__init__(code)
        self.code = code
        self.extra = extra


class RateLimited(Exception):  # noqa: N818 - it is an answer of the protocol, not a failure of ours
    """HTTP 429; `retry_after` is the header's raw value, which a fault script may make nonsense."""

    def __init__(self, retry_after: str | None) -> None:
        super().__init__(retry_after)
        self.retry_after = retry_after


def text(source: Mapping[str, object], key: str) -> str:
    """The string under `key`, or an empty one."""
    value = source.get(key)
    return value if isinstance(value, str) else ""


def table(source: Mapping[str, object], key: str) -> Json:
    """The object under `key`, or an empty one."""
    value = source.get(key)
    return value if isinstance(value, dict) else {}


def rows(source: Mapping[str, object], key: str) -> list[Json]:
    """The objects of the list under `key`, or none."""
    value = source.get(key)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def flag(source: Mapping[str, object], key: str) -> bool:
    """Whether `key` is true in any of the spellings that query, form and JSON use."""
    return source.get(key) in (True, "true", "True", "1", 1)


def compact(value: object) -> str:
    """JSON without blanks; its length is what size limits count."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
