"""Removes credentials from texts for people, and checks header values before they are sent."""

import base64
from collections.abc import Iterable, Mapping

SHORTEST = 8
"""Shorter values are not searched for, because they would match ordinary words."""


def hidden(text: str, values: Iterable[str]) -> str:
    """The text without header values, including the bare tokens and passwords in them."""
    for value in values:
        for secret in (value, value.partition(" ")[2], _password(value)):
            text = text.replace(secret, "[hidden]") if len(secret) >= SHORTEST else text
    return text


def credentials(headers: Mapping[str, str]) -> tuple[str, ...]:
    """The credentials in the headers of one request, such as a token that is valid for an hour."""
    return tuple(value for name, value in headers.items() if name.lower() == "authorization")


def sendable(headers: Mapping[str, str]) -> bool:
    """Whether these values are valid in a header; httpx's own error would repeat an invalid one."""
    return all(value.isascii() and value.isprintable() and value == value.strip() for value in headers.values())


def _password(value: str) -> str:
    """The password of a basic authentication header; empty for others."""
    kind, _, coded = value.partition(" ")
    try:
        return base64.b64decode(coded).decode().partition(":")[2] if kind == "Basic" else ""
    except ValueError:
        return ""
