"""Reads the arguments of a Web API call wherever a client puts them: query, form or JSON."""

import json
from urllib.parse import parse_qsl

from bot.playground.slack.wire import Json, SlackError

_OBJECTS = {
    "blocks": "invalid_blocks_format",
    "metadata": "invalid_metadata_format",
    "view": "invalid_arguments",
    "files": "invalid_arguments",
}


def merge(query: bytes, content_type: str, body: bytes) -> Json:
    """Query first, then the body over it; `blocks`, `view` and their like are decoded when they come as text.

    Raises SlackError: `invalid_json`, `json_not_object`, `invalid_form_data`, or the `…_format` code of an argument.
    """
    args: Json = dict(parse_qsl(query.decode("ascii", "replace"), keep_blank_values=True)) if query else {}
    if body:
        args.update(_body(content_type, body))
    for key, code in _OBJECTS.items():
        value = args.get(key)
        if isinstance(value, str) and value:
            args[key] = _decoded(value, code)
    return args


def _decoded(value: str, code: str) -> object:
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        raise SlackError(code) from None


def _body(content_type: str, body: bytes) -> Json:
    kind = content_type.split(";", 1)[0].strip().lower()
    if kind == "application/json":
        try:
            value = json.loads(body)
        except (ValueError, RecursionError):
            raise SlackError("invalid_json") from None
        if not isinstance(value, dict):
            raise SlackError("json_not_object")
        return value
    try:
        return dict(parse_qsl(body.decode("utf-8"), keep_blank_values=True))
    except ValueError:
        raise SlackError("invalid_form_data") from None
