"""What must hold of our messages in Slack after every test: one for each thing, replies once and in order."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

ROOT = re.compile(r"(?:over/)?([^./]+)\.[^/]+")
"""The key of a thread's first message: the incident, and of what group it tells."""
REPLY = re.compile(r"[^/]+/(\d+)")
"""The key of a reply: the incident, and the number of what happened."""
ALONE = ("digest/", "early/", "weekly/")
"""How the marks of messages begin that tell of something else than an incident, each once."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A message that stands in Slack now."""

    channel: str
    ts: str
    thread: str
    """The `ts` of the first message of the thread that it is a reply in; empty when it stands in the channel."""
    key: str
    ours: bool
    """Whether the bot wrote it, and nobody else edited it."""
    edited: bool


def key_of(message: Mapping[str, object]) -> str:
    """The key in a message's metadata, as Slack stores it; empty when it has none."""
    metadata = message.get("metadata")
    payload = metadata.get("event_payload") if isinstance(metadata, dict) else None
    return str(payload.get("mark", "")) if isinstance(payload, dict) else ""


def stored(channel: str, messages: Mapping[str, Mapping[str, object]], bot: tuple[str, str]) -> list[Shown]:
    """The messages of a channel of the stand-in, oldest first; `bot`: our (bot id, user id)."""
    return [
        Shown(
            channel,
            ts,
            "" if (thread := str(message.get("thread_ts", ts))) == ts else thread,
            key_of(message),
            message.get("bot_id") == bot[0] and _editor(message) in {None, bot[1]},
            "edited" in message,
        )
        for ts, message in sorted(messages.items())
    ]


def _editor(message: Mapping[str, object]) -> object:
    edited = message.get("edited")
    return edited.get("user") if isinstance(edited, dict) else None


def unruly(shown: Sequence[Shown]) -> list[str]:
    """Each promise on threads that was broken, in a sentence (P2, P7, SL-8); `shown` oldest first.

    A thread that was left behind in a closed channel, and cannot be edited there, is no second one.
    """
    standing: dict[tuple[str, str], list[str]] = {}
    numbers_of: dict[tuple[str, str], list[int]] = {}
    found = [
        f"{one.ts} in {one.channel} was edited, and not by us alone" for one in shown if one.edited and not one.ours
    ]
    for one in filter(lambda one: one.ours, shown):
        if one.thread and (number := REPLY.fullmatch(one.key)):
            numbers_of.setdefault((one.channel, one.thread), []).append(int(number[1]))
        elif not one.thread and (what := _what(one.key)):
            standing.setdefault((one.channel, what), []).append(one.ts)
    for (channel, what), several in standing.items():
        if len(several) > 1:
            found.append(f"{what} has {len(several)} messages in {channel}: {', '.join(several)}")
    for (channel, thread), numbers in numbers_of.items():
        if numbers != sorted(set(numbers)):
            found.append(f"{thread} in {channel} was told {numbers}: each once, and in order")
    return found


def _what(key: str) -> str:
    """What a message in a channel tells of, once; empty: it may stand there more than once."""
    root = ROOT.fullmatch(key)
    plain = key.removeprefix("over/")
    return root[1] if root else plain if plain.startswith(ALONE) else ""
