"""The address or number of a job in what a person wrote, or in a message."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

MOST_CHARS = 2_000
MOST_ADDRESSES = 20
"""Addresses of one message that are looked up, the first ones."""
MOST_PARTS = 2_000
"""Parts of a message that are looked through."""
_LINK = re.compile(r"<?(https?://[^\s<>|\"'`]+)(?:\|[^>]*)?>?")
_NUMBER = re.compile(r"#?(\d{1,20})")
_AFTER = ".,;:!?)]}*_~"
"""What may follow an address in a sentence."""


@dataclass(frozen=True, slots=True)
class JobAddress:
    """What somebody asks about."""

    text: str
    """An address, or the number of a job."""
    number: bool = False
    """Whether it is only a number, which tells nothing of whether this person knows the job."""


def job_address(words: str) -> JobAddress | None:
    """What a person wrote: `https://…`, Slack's `<https://…|text>`, or a number; None for anything else."""
    written = words[:MOST_CHARS].strip()
    if found := _NUMBER.fullmatch(written):
        return JobAddress(found[1], number=True)
    links = addresses(written)
    return JobAddress(links[0]) if links else None


def addresses_in(message: Mapping[str, object]) -> tuple[str, ...]:
    """The web addresses in a Slack message, each once: in its text, its blocks and its attachments."""
    waiting: list[object] = [message.get(part) for part in ("text", "blocks", "attachments")]
    found: dict[str, None] = {}
    for _ in range(MOST_PARTS):
        if not waiting or len(found) >= MOST_ADDRESSES:
            break
        part = waiting.pop(0)
        if isinstance(part, str):
            found |= dict.fromkeys(addresses(part))
        elif isinstance(part, Mapping):
            waiting += part.values()
        elif isinstance(part, list):
            waiting += part
    return tuple(found)[:MOST_ADDRESSES]


def addresses(text: str) -> tuple[str, ...]:
    """All web addresses in a text, each once."""
    found = (link.replace("&amp;", "&").rstrip(_AFTER) for link in _LINK.findall(text[: 4 * MOST_CHARS]))
    return tuple(dict.fromkeys(link for link in found if len(link) <= MOST_CHARS))[:MOST_ADDRESSES]
