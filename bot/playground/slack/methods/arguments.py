"""Reads the arguments of a Web API call wherever a client puts them: query, form or JSON."""

import json
from urllib.parse import parse_qsl

from bot.playground.slack.wire import Json, SlackError

_OBJECTS = {"blocks": "invalid_blocks_format", "metadata": "invalid_metadata_format", "view": "invalid_arguments"}


def merge(query: bytes, content_type: str, body: bytes) -> Json:
    """Query first, then the body over it; `blocks`, `metadata` and `view` are decoded when they come as text.

    Raises SlackError: the code of an argument that is not JSON.
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
    if content_type.split(";", 1)[0].strip().lower() == "application/json":
        return dict(json.loads(body))
    return dict(parse_qsl(body.decode("utf-8"), keep_blank_values=True))
