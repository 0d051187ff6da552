"""Reads labels and annotations with conventional meaning: priority, teams, texts, links."""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from urllib.parse import urlsplit

MOST_LINK_CHARS = 2048
MOST_TEAMS = 10
MOST_TEAM_CHARS = 50

_PRIORITY = re.compile(r"[Pp]?([0-3])", re.ASCII)
_UNSAFE_IN_LINK = {ord(char): f"%{ord(char):02X}" for char in "<>|\"'`\\^{}"}

Words = Mapping[str, str]


def named(words: Words, name: str) -> Iterator[str]:
    """All values under `name` in any case; PyTorch writes Priority, Team, TEAM and Teams."""
    return (value.strip() for key, value in words.items() if key.lower() == name and value.strip())


def priority(annotations: Words, labels: Words) -> str | None:
    """P0 to P3 from "P2", "p2" or "2", annotation before label; None if missing.

    A missing priority is no reason to refuse an alert (docs/design/alert-formats.md#recognition).
    """
    for value in (*named(annotations, "priority"), *named(labels, "priority")):
        if found := _PRIORITY.fullmatch(value):
            return f"P{found[1]}"
    return None


def teams(annotations: Words, labels: Words) -> tuple[str, ...]:
    """Team names in lower case with hyphens: `Teams` before `Team`, annotation before label, at most 10."""
    for name in ("teams", "team"):
        for words in (annotations, labels):
            for value in named(words, name):
                if found := _team_names(value):
                    return found
    return ()


@lru_cache(128)
def link(address: str) -> str:
    """An http(s) address that is safe to show, with `www.` completed; empty for anything else.

    Characters that could end a link in Slack are percent-encoded. An address with a user name is dropped. See
    docs/design/alert-formats.md#normalised-event.
    """
    whole = address.strip()
    if whole.lower().startswith("www."):
        whole = f"https://{whole}"
    whole = whole.translate(_UNSAFE_IN_LINK)
    if not whole.isprintable() or " " in whole or len(whole) > MOST_LINK_CHARS:
        return ""
    try:
        parts = urlsplit(whole)
        host, user = parts.hostname, parts.username
    except ValueError:
        return ""
    return whole if parts.scheme in {"http", "https"} and host and user is None else ""


def first_link(*addresses: str) -> str:
    """The first valid link; empty if none."""
    return next((found for address in addresses if (found := link(address))), "")


def runbook(annotations: Words) -> str:
    """The runbook's address; a runbook may be a dashboard (docs/design/diagnosis.md#the-runbook)."""
    return first_link(*named(annotations, "runbook_url"), *named(annotations, "runbook"))


def _team_names(value: str) -> tuple[str, ...]:
    names = ("-".join(part.lower().split())[:MOST_TEAM_CHARS] for part in value.split(","))
    return tuple(dict.fromkeys(name for name in names if name))[:MOST_TEAMS]
