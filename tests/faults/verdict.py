"""Computes the promises from what the outside saw: Slack's stored messages and the senders' own records."""

import re
from dataclasses import dataclass, field
from typing import Protocol

from bot.playground.slack.app import SlackStandIn
from bot.playground.slack.record import ApiCall
from tests.threads import key_of, stored, unruly

GROUP = re.compile(r"Group(\d{4})Z")
OTHER = -1
"""The number of a delivery that is of none of our groups: no thread will name it."""
DUPLICATE = "Duplicate"
"""How the text of a collapsed duplicate begins."""


@dataclass(frozen=True, slots=True)
class Delivered:
    """What an alert sender remembers of one delivery; status 0: there was no answer."""

    group: int
    status: int
    seconds: float
    at: float = 0.0
    """When the answer was there; epoch seconds."""


class Outside(Protocol):
    """What saw all that the product did."""

    stand_in: SlackStandIn
    delivered: list[Delivered]
    """The senders' own record."""


@dataclass(frozen=True, slots=True)
class Root:
    """A thread's first message that stands in Slack now."""

    channel: str
    ts: str
    key: str
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
    """What is wrong with messages and replies, whatever group they are of, in sentences (tests/threads.py)."""

    def __str__(self) -> str:
        return f"missing {len(self.missing)}, duplicates {len(self.duplicates)}, orphans {len(self.orphans)}"

    @property
    def kept(self) -> bool:
        return not (self.missing or self.duplicates or self.orphans or self.disorder)


def roots(outside: Outside) -> list[Root]:
    """Every thread's first message; marked duplicates, digests and direct messages left out."""
    found = []
    for channel in (one for one in outside.stand_in.workspace.channels.values() if not one.is_im):
        for ts, message in channel.messages.items():
            key = key_of(message)
            text = str(message.get("text", ""))
            is_reply = message.get("thread_ts", ts) != ts
            group = GROUP.search(f"{text} {message.get('blocks')}")
            if key and group and not is_reply and not key.startswith("digest/") and not text.startswith(DUPLICATE):
                found.append(Root(channel.id, ts, key, int(group[1]), text))
    return found


def first_messages(outside: Outside, since: int = 0) -> list[ApiCall]:
    """The posts that began a thread: replies may come between them at any time."""
    posts = outside.stand_in.log.of("chat.postMessage", since=since)
    return [call for call in posts if "thread_ts" not in call.args]


def accepted(outside: Outside) -> set[int]:
    """The groups of which some delivery was answered 2xx."""
    return {sent.group for sent in outside.delivered if 200 <= sent.status < 300} - {OTHER}


def in_digests(outside: Outside) -> set[int]:
    """The groups that a digest names: they wait for their thread, and people know it."""
    channels = outside.stand_in.workspace.channels.values()
    digests = [m for channel in channels for m in channel.messages.values() if key_of(m).startswith("digest/")]
    return {int(number) for message in digests for number in GROUP.findall(f"{message.get('blocks')}")}


def seen(outside: Outside) -> Verdict:
    """Missing, duplicates and disorder as they stand now; nothing is pressed."""
    verdict, by_group = Verdict(), dict[int, list[Root]]()
    for root in roots(outside):
        by_group.setdefault(root.group, []).append(root)
    verdict.missing = sorted(accepted(outside) - by_group.keys())
    verdict.duplicates = sorted(group for group, found in by_group.items() if len(found) > 1)
    workspace = outside.stand_in.workspace
    bot = (workspace.bot.bot_id, workspace.bot.user_id)
    for channel in workspace.channels.values():
        verdict.disorder += unruly(stored(channel.id, channel.messages, bot))
    return verdict


def owed(outside: Outside, *, threads: bool) -> Verdict:
    """What is wrong at the end of a test; `threads`: every accepted group must be told of by now, if by a digest."""
    verdict = seen(outside)
    verdict.missing = sorted(set(verdict.missing) - in_digests(outside)) if threads else []
    return verdict
