"""Reads our messages with a key back from Slack; those who wait for the history of one channel share a read."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from bot.adapters.http.background import begun
from bot.adapters.http.rows import inner, rows
from bot.adapters.slack.answers import Identity, installation_of, key_of, text_at
from bot.ports import Failure, Own, Unreachable

PAGE = 200
MOST_PAGES = 10

Read = Callable[[str, Mapping[str, object]], Awaitable[Mapping[str, object]]]
"""One request: method and arguments; raises Unreachable."""


@dataclass(frozen=True, slots=True)
class Past:
    """Our messages with a key since then (epoch seconds), oldest first; all of them, or of 2,000 messages."""

    own: tuple[Own, ...]
    since: float
    whole: bool
    strangers: frozenset[str] = frozenset()
    """Other installations that posted some with the same token."""


async def read_past(read: Read, me: Identity, channel: str, since: float, thread: str | None) -> Past:
    """Our messages in a thread, or those of a channel that are not replies. Raises Unreachable."""
    method = "conversations.history" if thread is None else "conversations.replies"
    arguments = {"channel": channel, "oldest": f"{max(0.0, since):.6f}", "inclusive": "true", "limit": f"{PAGE}"}
    arguments |= {"include_all_metadata": "true"} | ({} if thread is None else {"ts": thread})
    found: list[Own] = []
    strangers: set[str] = set()
    for _ in range(MOST_PAGES):
        answer = await read(method, arguments)
        if not isinstance(answer.get("messages"), list):  # once it may be a gateway's answer, twice Slack has none
            answer = await read(method, arguments)
        for message in rows(answer.get("messages")):
            ts = text_at(message, "ts")
            first = message.get("thread_ts", ts) == ts
            if ts and (first or thread is not None) and me.wrote(message) and key_of(message):
                if (installation := installation_of(message)) == me.installation:
                    found.append(Own(ts, key_of(message)))
                else:
                    strangers.add(installation)
        arguments["cursor"] = text_at(inner(answer, "response_metadata"), "next_cursor")
        if not arguments["cursor"]:
            break
    own = tuple(sorted(found, key=lambda one: (len(one.ts), one.ts)))
    return Past(own, since, not arguments["cursor"], frozenset(strangers))


async def read_stranger(read: Read, me: Identity, channel: str, ts: str) -> str:
    """The other installation that posted this first message; empty if we did. Raises Unreachable."""
    arguments = {"channel": channel, "oldest": ts, "latest": ts, "inclusive": "true", "limit": "1"}
    answer = await read("conversations.history", arguments | {"include_all_metadata": "true"})
    for message in rows(answer.get("messages")):
        if text_at(message, "ts") == ts and me.wrote(message):
            found = installation_of(message) if key_of(message) else me.installation
            return "" if found == me.installation else found
    raise Unreachable("Slack", "conversations.history: the message is not there", failure=Failure.GONE)


class SharedReads:
    """Reads the history of a channel once for all who wait for it.

    A crash in a storm leaves dozens of messages in doubt, and Slack allows 50 of these reads a minute. Who comes
    while a read is under way waits for the next one, because the first may have passed what they look for.
    """

    def __init__(self, read: Callable[[str, float], Awaitable[Past]]) -> None:
        """`read` reads a channel since a time; what it raises is raised for each who waits."""
        self._read = read
        self._since: dict[str, float] = {}
        self._next: dict[str, asyncio.Task[Past]] = {}
        """By channel: the read that has not begun, and from when on."""
        self._locks: dict[str, asyncio.Lock] = {}

    async def past(self, channel: str, since: float) -> Past:
        """The history of a channel since then, or since an earlier time that somebody else needs."""
        self._since[channel] = min(since, self._since.get(channel, since))
        if channel not in self._next:
            self._next[channel] = begun(self._begun(channel))
        return await asyncio.shield(self._next[channel])

    async def _begun(self, channel: str) -> Past:
        async with self._locks.setdefault(channel, asyncio.Lock()):
            del self._next[channel]
            return await self._read(channel, self._since.pop(channel))
