"""Computes the promises from what the outside saw: Slack's stored messages and the senders' own records."""

import asyncio
import contextlib
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.faults.house import House

GROUP = re.compile(r"Group(\d{4})Z")
DUPLICATE = "Duplicate"
"""How the text of a collapsed duplicate begins."""
AGAIN_SECONDS = 10.0
"""How long somebody waits for what a click should show before pressing again."""


@dataclass(frozen=True, slots=True)
class Root:
    """A thread's first message that stands in Slack now."""

    channel: str
    ts: str
    mark: str
    group: int
    text: str


@dataclass(slots=True)
class Verdict:
    """What is wrong with the promises; all empty: they were kept."""

    missing: list[int] = field(default_factory=list)
    """Groups that were answered 2xx and have no thread."""
    duplicates: list[int] = field(default_factory=list)
    """Groups with more than one thread that is not marked as a duplicate."""
    orphans: list[str] = field(default_factory=list)
    """Threads whose first message the product does not know: pressing its button does not change that very message."""
    disorder: list[str] = field(default_factory=list)
    """Threads in which a reply came twice, or before one of an earlier event."""

    def __str__(self) -> str:
        return f"missing {len(self.missing)}, duplicates {len(self.duplicates)}, orphans {len(self.orphans)}"

    @property
    def kept(self) -> bool:
        """Whether nothing is wrong."""
        return not (self.missing or self.duplicates or self.orphans or self.disorder)


def roots(house: House) -> list[Root]:
    """Every thread's first message, marked duplicates and digests left out."""
    found = []
    for channel in house.stand_in.workspace.channels.values():
        for ts, message in channel.messages.items():
            mark = mark_of(message)
            text = str(message.get("text", ""))
            is_reply = message.get("thread_ts", ts) != ts
            group = GROUP.search(text)
            if mark and group and not is_reply and not mark.startswith("digest/") and not text.startswith(DUPLICATE):
                found.append(Root(channel.id, ts, mark, int(group[1]), text))
    return found


def mark_of(message: Mapping[str, object]) -> str:
    """The mark in a message's metadata; empty when it has none."""
    metadata = message.get("metadata")
    payload = metadata.get("event_payload") if isinstance(metadata, dict) else None
    return str(payload.get("mark", "")) if isinstance(payload, dict) else ""


def accepted(house: House) -> set[int]:
    """The groups of which some delivery was answered 2xx."""
    return {sent.group for sent in house.delivered if 200 <= sent.status < 300}


def seen(house: House) -> Verdict:
    """Missing, duplicates and disorder as they stand now; nothing is pressed."""
    verdict, by_group = Verdict(), {}
    for root in roots(house):
        by_group.setdefault(root.group, []).append(root)
    verdict.missing = sorted(accepted(house) - by_group.keys())
    verdict.duplicates = sorted(group for group, found in by_group.items() if len(found) > 1)
    for channel in house.stand_in.workspace.channels.values():
        verdict.disorder += _disorder(channel.messages)
    return verdict


def _disorder(messages: Mapping[str, Mapping[str, object]]) -> list[str]:
    told: dict[str, list[int]] = {}
    for ts, message in sorted(messages.items()):
        thread = str(message.get("thread_ts", ts))
        number = mark_of(message).rpartition("/")[2]
        if thread != ts and number.isdigit():
            told.setdefault(thread, []).append(int(number))
    return [f"{thread}: {numbers}" for thread, numbers in told.items() if numbers != sorted(set(numbers))]


async def settled(house: House, within: float = 30.0) -> Verdict:
    """Wait until every accepted group has exactly one thread, or the time is over."""

    def fine() -> bool:
        verdict = seen(house)
        return not verdict.missing and not verdict.duplicates

    try:
        await house.eventually(fine, "one thread for every accepted group", within)
    except AssertionError:
        return seen(house)
    return seen(house)


async def judged(house: House, within: float = 30.0) -> Verdict:
    """`settled`, then every thread's button is pressed: the product must know each, and show it on that message.

    Whoever is told that the click failed, or sees nothing for a while, presses again, as people do.
    """
    verdict = await settled(house, within)
    left = found = roots(house)
    await _pressed(house, left)
    deadline = time.monotonic() + within
    while left and time.monotonic() < deadline:
        with contextlib.suppress(AssertionError):
            pause = min(AGAIN_SECONDS, deadline - time.monotonic())
            await house.eventually(lambda left=left: not strangers(house, left), "who pressed is shown", pause)
        left = strangers(house, left)
        await _pressed(house, left)
    verdict.orphans = [root.ts for root in strangers(house, found)]
    return verdict


async def _pressed(house: House, found: list[Root]) -> None:
    """Acknowledge on each, where it is offered, a few at a time."""
    gate = asyncio.Semaphore(8)

    async def press(root: Root) -> None:
        async with gate:
            if "Acknowledge" in buttons(house, root):
                await house.press(root.ts, "Acknowledge", "U0ANA", channel=root.channel)

    await asyncio.gather(*(press(root) for root in found))


def strangers(house: House, found: list[Root]) -> list[Root]:
    """The threads that do not show that somebody has them."""
    channels = house.stand_in.workspace.channels
    return [root for root in found if "<@U0ANA>" not in str(channels[root.channel].messages[root.ts].get("blocks"))]


def buttons(house: House, root: Root) -> list[str]:
    """The labels of a message's buttons."""
    message = house.stand_in.workspace.channels[root.channel].messages[root.ts]
    blocks = message.get("blocks")
    return [
        str(element["text"]["text"])
        for block in (blocks if isinstance(blocks, list) else [])
        for element in block.get("elements", ())
        if element.get("type") == "button"
    ]
