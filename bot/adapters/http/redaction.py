"""Credentials in headers: taken out of what is told to people, and looked at before they are sent."""

import base64
from collections.abc import Iterable, Mapping

SHORTEST = 8
"""A shorter value is not looked for: it would blot out ordinary words."""


def hidden(text: str, values: Iterable[str]) -> str:
    """The text without the values of headers, also without the token or password in them alone."""
    for value in values:
        for secret in (value, value.partition(" ")[2], _password(value)):
            text = text.replace(secret, "[hidden]") if len(secret) >= SHORTEST else text
    return text


def credentials(headers: Mapping[str, str]) -> tuple[str, ...]:
    """What the headers of one request present, such as a token that lives for an hour."""
    return tuple(value for name, value in headers.items() if name.lower() == "authorization")


def sendable(headers: Mapping[str, str]) -> bool:
    """Whether a header may hold these values; httpx's own error would repeat one that it may not."""
    return all(value.isascii() and value.isprintable() and value == value.strip() for value in headers.values())


def _password(value: str) -> str:
    """The password that a header of basic authentication carries; empty when it is none."""
    kind, _, coded = value.partition(" ")
    try:
        return base64.b64decode(coded).decode().partition(":")[2] if kind == "Basic" else ""
    except ValueError:
        return ""
