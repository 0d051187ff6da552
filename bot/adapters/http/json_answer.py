"""Decodes responses safely: depth, numbers and characters are checked before anything is stored."""

import json
import re
from collections.abc import Callable

LONGEST_WORDS = 300
MOST_DETAILS = 5
"""Problems of one refusal that are told."""
MOST_BYTES = 8_000
"""Bytes kept of a response that is not JSON; far more than is shown, so that no secret is cut in half."""
LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\s]+")


def decoded(content: bytes) -> object:
    """The JSON value; None for invalid or too deeply nested input (docs/design/measurements.md#json)."""
    try:
        value: object = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return _mended(value) if b"\\ud" in content.lower() else value


def one_line(text: str, most: int = LONGEST_WORDS) -> str:
    """Foreign text made safe for logs and messages: no control characters, one line, cut with `…`."""
    line = CONTROL.sub(" ", LONE_SURROGATE.sub("\ufffd", text)).strip()
    return line if len(line) <= most else line[: most - 1] + "…"


def message_of(body: object, content: bytes, cleaned: Callable[[str], str] = str) -> str:
    """A back end's explanation: its `error` or `message`, a bare JSON string, else the start of the response.

    What it names in `errors`, as GitHub does, follows. `cleaned` removes secrets before the text is cut, so that no
    half of one remains.
    """
    if isinstance(body, str):
        return one_line(cleaned(body))
    if isinstance(body, dict):
        words = (body.get(key) for key in ("error", "message", "detail", "title"))
        found = next((one for one in words if isinstance(one, str) and one.strip()), "")
        details = _details(body.get("errors"))
        if found or details:
            return one_line(cleaned("; ".join(filter(None, (found, *details)))))
    return one_line(cleaned(content[:MOST_BYTES].decode("utf-8", "replace"))) or "no reason given"


def _details(errors: object) -> list[str]:
    """Each problem in a list of them: a text, or an object that names a field and what is wrong with it."""
    found = list[str]()
    for one in errors[:MOST_DETAILS] if isinstance(errors, list) else []:
        parts = [one.get(key) for key in ("resource", "field", "code", "message")] if isinstance(one, dict) else [one]
        found.append(" ".join(part for part in parts if isinstance(part, str) and part.strip()))
    return [words for words in found if words]


def _mended(value: object) -> object:
    """Replace lone surrogates, which no encoder accepts."""
    if isinstance(value, str):
        return LONE_SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_mended(item) for item in value]
    if isinstance(value, dict):
        return {_mended(key): _mended(item) for key, item in value.items()}
    return value
