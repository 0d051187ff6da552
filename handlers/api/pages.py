"""Pages of a list: a limit, and an opaque cursor to the next page."""

import base64
import binascii
import json
from collections.abc import Callable, Sequence
from typing import TypeVar

from handlers.api.problems import ApiRefused

T = TypeVar("T")
Key = tuple[float | str, ...]


def page_of(items: Sequence[T], key: Callable[[T], Key], limit: int, cursor: str) -> tuple[list[T], str | None]:
    """(the items after the cursor, the cursor of the next page); `items` are ordered by `key`."""
    after = _key_of(cursor, key(items[0]) if items else None) if cursor else None
    rest = [item for item in items if after is None or key(item) > after]
    shown = list(rest[:limit])
    return shown, _cursor_of(key(shown[-1])) if len(rest) > limit else None


def _cursor_of(key: Key) -> str:
    return base64.urlsafe_b64encode(json.dumps(key).encode()).decode().rstrip("=")


def _key_of(cursor: str, like: Key | None) -> Key:
    try:
        found = json.loads(base64.urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4)))
    except (binascii.Error, ValueError, RecursionError):
        found = None
    kinds = [str if isinstance(part, str) else float | int for part in like] if like else []
    wrong = not isinstance(found, list) or not found
    if wrong or (like and not (len(found) == len(kinds) and all(map(isinstance, found, kinds)))):
        raise ApiRefused(404, "cursor: is not one that this list gave. Leave it out to begin anew.")
    return tuple(found)
