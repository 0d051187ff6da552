"""Parses an alert payload to checked JSON; no field is trusted."""

import json
import math
import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import lru_cache

from bot.core.alert import CUT

MOST_DEPTH = 64
"""Nesting depth of objects and lists (C4)."""
MOST_VALUES, MOST_BOXES = 50_000, 25_000
"""Values, and objects and lists, that any body may have; counted before it is decoded, which is what takes the time."""
VALUE_BYTES, BOX_BYTES = 16, 32
"""A larger body may have one in so many bytes, so that `http.max_body_bytes` is the limit of what alerts look like.

The barest alert of an Alertmanager (a name, no annotation) has 3 objects and 9 values in 180 bytes.
"""
MOST_CHARS = 1000
"""Longest text kept from a label or annotation."""
MOST_PAIRS = 64
"""Most labels, annotations or values kept from one alert."""
MOST_PAIR_CHARS = 8000
"""Most characters kept from all labels, or all annotations, of one alert."""

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_LONGEST_INSTANT = 40
_INSTANT = re.compile(
    r"(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d):(\d\d)(?:[.,](\d{1,12}))?\s?(?:[Zz]|([+-]\d\d:?[0-5]\d))?", re.ASCII
)


class Unreadable(Exception):  # noqa: N818 - says what the payload is
    """An invalid payload; the sentence names the field and the problem."""


def read(body: bytes) -> dict[str, object]:
    """The JSON object in `body`; raises Unreadable.

    Tolerated: a byte order mark, duplicate keys (the last wins), raw control characters in strings, lone surrogates
    (replaced), NaN, Infinity and numbers of any size (null when nothing can hold them). Refused: other encodings than
    UTF-8, nesting deeper than 64.
    """
    try:
        whole = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unreadable(f"body: not UTF-8 at byte {error.start}; send JSON in UTF-8") from None
    boxes = _bounded(body)
    if not whole.strip():
        raise Unreadable("body: empty; a JSON object is expected")
    found = _decoded(whole)
    if not isinstance(found, dict):
        kinds = {list: "list", str: "string", bool: "boolean", int: "number", float: "number"}
        raise Unreadable(f"body: a JSON object is expected, but a {kinds.get(type(found), 'null')} came")
    if boxes > MOST_DEPTH and _too_deep(found):
        raise Unreadable(f"body: nested deeper than {MOST_DEPTH} levels")
    if "\\u" in whole and _LONE_SURROGATE.search(written := json.dumps(found, ensure_ascii=False)):
        found = _decoded(_LONE_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", written))
    return fields(found)


def _bounded(body: bytes) -> int:
    """How many lists and objects have to be made, at most. Raises Unreadable if there are too many, or values.

    What is quoted costs nothing: a text may hold any number of brackets and commas.
    """
    most_values, most_boxes = max(MOST_VALUES, len(body) // VALUE_BYTES), max(MOST_BOXES, len(body) // BOX_BYTES)
    boxes, values = body.count(b"[") + body.count(b"{"), body.count(b",")
    if boxes > most_boxes or values > most_values:
        parts = body.replace(b"\\\\", b"").replace(b'\\"', b"").split(b'"')[::2]
        boxes = sum(part.count(b"[") + part.count(b"{") for part in parts)
        values = sum(part.count(b",") for part in parts)
    for found, most, what in ((boxes, most_boxes, "lists and objects"), (values, most_values, "values")):
        if found > most:
            long = f"{found:,} {what} outside of texts, and a body of {len(body):,} bytes may have {most:,}"
            raise Unreadable(f"body: {long}; send fewer alerts at once (max_alerts)")
    return boxes


def fields(value: object) -> dict[str, object]:
    """An object; empty for anything else."""
    return value if isinstance(value, dict) else {}


def items(value: object) -> list[object]:
    """A list; empty for anything else."""
    return value if isinstance(value, list) else []


def text(value: object, most: int | None = MOST_CHARS) -> str:
    """A string or a number as text, cut at `most` characters with a mark; empty for anything else."""
    if isinstance(value, str):
        return cut(value.replace("\0", "\N{REPLACEMENT CHARACTER}"), most)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.15g}"
    return str(value) if isinstance(value, int) else ""


def cut(whole: str, most: int | None) -> str:
    """At most `most` characters; a cut text ends with the mark."""
    return whole if most is None or len(whole) <= most else whole[: most - len(CUT)] + CUT


def pairs(value: object) -> dict[str, str]:
    return {name: text(entry, None) for name, entry in fields(value).items()}


def bounded(whole: Mapping[str, str], first: tuple[str, ...] = ()) -> dict[str, str]:
    """As much of `whole` as a record may hold; names in `first` take precedence."""
    if len(whole) <= MOST_PAIRS and sum(map(len, (*whole, *whole.values()))) <= MOST_CHARS:
        return dict(whole)
    kept: dict[str, str] = {}
    room = MOST_PAIR_CHARS
    for name in sorted(whole, key=lambda name: name not in first):
        short = cut(whole[name], MOST_CHARS)
        size = len(name) + len(short)
        if size <= room and len(kept) < MOST_PAIRS:
            kept[name] = short
            room -= size
    return {name: kept[name] for name in whole if name in kept}


def number(value: object) -> float | None:
    """A finite number, also as text; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


def numbers(pairs: Iterable[tuple[str, object]]) -> dict[str, float]:
    """The finite numbers among (name, value), at most `MOST_PAIRS`; the first of a name counts."""
    found: dict[str, float] = {}
    for name, value in pairs:
        figure = number(value)
        if figure is not None and name not in found and len(found) < MOST_PAIRS:
            found[name] = figure
    return found


def instant(value: object) -> float | None:
    """An RFC 3339 time as epoch seconds, cut to milliseconds; None for the zero time and invalid ones.

    Alertmanager writes up to nine fraction digits in a webhook, and cuts the same instant to milliseconds in its API
    (docs/design/alert-formats.md#alertmanager). Without an offset the time is UTC.
    """
    written = value.strip() if isinstance(value, str) else ""
    return _instant(written) if len(written) <= _LONGEST_INSTANT else None


@lru_cache(128)
def _instant(value: str) -> float | None:
    if (found := _INSTANT.fullmatch(value)) is None:
        return None
    day, clock, second, fraction, offset = found.groups("")
    try:
        whole = datetime.fromisoformat(f"{day}T{clock}:{min(int(second), 59):02}{offset or 'Z'}").timestamp()
    except ValueError:
        return None
    milliseconds = int(fraction[:3].ljust(3, "0"))
    return round(whole + milliseconds / 1000, 3) if whole > 0 else None


def _decoded(whole: str) -> object:
    try:
        found: object = _JSON.decode(whole)
    except json.JSONDecodeError as error:
        raise Unreadable(f"body: not JSON at line {error.lineno}, column {error.colno}: {error.msg}") from None
    except RecursionError:
        raise Unreadable(f"body: nested deeper than {MOST_DEPTH} levels") from None
    return found


def _integer(digits: str) -> int | None:
    return int(digits) if len(digits) <= 4000 else None


_JSON = json.JSONDecoder(strict=False, parse_int=_integer, parse_float=number, parse_constant=number)


def _too_deep(found: object) -> bool:
    level = [found]
    for _ in range(MOST_DEPTH):
        inner = (entry for box in level for entry in (box.values() if isinstance(box, dict) else items(box)))
        level = [entry for entry in inner if isinstance(entry, dict | list)]
        if not level:
            return False
    return True
