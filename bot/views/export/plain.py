"""Plain text, lists and times in Markdown."""

import re
from collections.abc import Iterable, Mapping
from datetime import tzinfo

from bot.views.export.export_json import dated
from bot.views.mrkdwn import clean

NOT_KNOWN = "_to fill in_"
"""Where a person has to write."""

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~&])")
_CALL = re.compile(r"@(?=\w)|(?<=\\#)(?=\d)|(?<=\bGH)-(?=\d)|(?i:\bhttps?:)(?=//)|(?i:\bwww)(?=\.)")
"""Where GitHub makes a link or a mention of plain text: `@name`, `#1`, `GH-1`, and a bare address."""


def plain(text: str | None) -> str:
    """Untrusted text in Markdown: one line without formatting, links or table breaks.

    GitHub looks for such things after removing backslashes, so an invisible word joiner is inserted.
    """
    return _CALL.sub(lambda found: f"{found[0]}\u2060", _SPECIAL.sub(r"\\\1", clean(text or "")))


def bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def stamp(at: float, zone: tzinfo) -> str:
    """`2025-12-01 02:23 UTC`; "unknown" for an invalid time."""
    return dated(at, lambda moment: f"{moment.astimezone(zone):%Y-%m-%d %H:%M %Z}") or "unknown time"


def clock(at: float, zone: tzinfo) -> str:
    """`02:23`, where the day is known."""
    return dated(at, lambda moment: f"{moment.astimezone(zone):%H:%M}") or "an unknown time"


def named(text: str, names: Mapping[str, str]) -> str:
    """The text with other names for people; `names` by user id."""
    for who, name in names.items():
        text = plain(name).join(re.split(rf"(?:\\<@\u2060?)?\b{re.escape(who)}\b(?:\\>)?", text))
    return text
