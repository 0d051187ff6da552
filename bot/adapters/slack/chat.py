"""Slack as the port `Chat`: one request per method and no retries; the records decide what to repeat."""

import contextlib
from collections.abc import Awaitable, Callable, Mapping
from copy import copy
from functools import cached_property

from slack_sdk.web.async_client import AsyncWebClient

from bot.adapters.http.rows import inner, texts
from bot.adapters.outages import Outages
from bot.adapters.slack.answers import Cache, Identity, metadata_of, name_of, outsider, teams_of, text_at
from bot.adapters.slack.client import responded
from bot.adapters.slack.failures import ERRORS, unreachable
from bot.adapters.slack.history import MOST_PAGES, Past, SharedReads, read_past, read_stranger
from bot.core.external import DEFAULT_INSTALLATION
from bot.core.message import EDIT_LANE, Block, Message, post_lane
from bot.ports import Failure, Outsider, OwnMessages, Person, Posted, RateLanes, Unreachable
from bot.sources.payload import fields

CLOCK_SKEW_SECONDS = 60.0
"""`find` starts this much earlier, because Slack stamps messages by its own clock; marks are unique."""
PEOPLE_SECONDS = 60.0
"""How long people, groups and readers of channels are cached."""
LINK_SECONDS = 86400.0
"""How long a permalink is cached: it never changes, and lists show the same ones repeatedly."""
CONNECTED_SECONDS = 300.0
"""How long a token counts as valid without another question."""
EVERYBODY = frozenset({"everybody"})
"""Who may read a public channel; compared by identity."""


class SlackChat:
    """Chat over slack_sdk.

    Every method raises Unreachable("Slack", ...); its class is in docs/explanation/promises.md#what-slack-errors-do.
    """

    def __init__(
        self,
        client: AsyncWebClient,
        monotonic: Callable[[], float],
        lanes: RateLanes,
        installation: str = DEFAULT_INSTALLATION,
    ) -> None:
        """`monotonic` gives seconds that never jump. After a 429 `lanes` pause the method in every process.

        Messages of another `installation` with the same token are not ours.
        """
        self._client, self._lanes, self.has_slot, self._installation = client, lanes, False, installation
        self._links: Cache[str] = Cache(monotonic, LINK_SECONDS)
        self._people: Cache[Person] = Cache(monotonic, PEOPLE_SECONDS)
        self._groups: Cache[frozenset[str]] = Cache(monotonic, PEOPLE_SECONDS)
        self._readers: Cache[frozenset[str]] = Cache(monotonic, PEOPLE_SECONDS)
        self._joined: Cache[frozenset[str]] = Cache(monotonic, PEOPLE_SECONDS)
        self._connected: Cache[Identity] = Cache(monotonic, CONNECTED_SECONDS)
        self._self: Identity | None = None
        self._shared, self._outages = SharedReads(self._past), Outages()

    @cached_property
    def in_turn(self) -> "SlackChat":
        """The same, with the same caches, for callers with a slot of the rate lane, which no pause grants."""
        found = copy(self)
        found.has_slot = True
        return found

    async def close(self) -> None:
        if self._client.session is not None:
            await self._client.session.close()

    async def post(
        self, channel: str, message: Message, *, key: str, thread: str | None = None, broadcast: bool = False
    ) -> Posted:
        """Post a message with `key` as metadata; raises GONE when a reply landed outside its thread.

        See docs/design/slack.md#replies-to-a-deleted-parent.
        """
        more: dict[str, object] = {"metadata": self._metadata(key), "unfurl_links": False, "unfurl_media": False}
        more |= {} if thread is None else {"reply_broadcast": broadcast}
        answer = await self._write("chat.postMessage", {"channel": channel, **_sent(message, thread), **more})
        place, ts, stored = answer.get("channel"), answer.get("ts"), answer.get("message")
        if not isinstance(ts, str) or not ts:
            raise Unreachable("Slack", "chat.postMessage: an answer without a timestamp", failure=Failure.UNKNOWN)
        if thread is not None and isinstance(stored, dict) and stored.get("thread_ts") != thread:
            raise Unreachable("Slack", "chat.postMessage: the thread's first message is deleted", failure=Failure.GONE)
        return Posted(place if isinstance(place, str) and place else channel, ts)

    async def update(self, channel: str, ts: str, message: Message, *, key: str = "") -> None:
        """Replace text and blocks; always both, because docs/design/slack.md#updates-drop-blocks."""
        arguments: dict[str, object] = {"channel": channel, "ts": ts, "text": message.text, "blocks": message.blocks}
        if key:
            arguments["metadata"] = self._metadata(key)
        await self._write("chat.update", arguments)

    async def find(self, channel: str, key: str, *, since: float, thread: str | None = None) -> Posted | None:
        """Our oldest message with `key`. Raises LATER if more than 2,000 messages would have to be searched."""
        since -= CLOCK_SKEW_SECONDS
        past = await (self._shared.past(channel, since) if thread is None else self._past(channel, since, thread))
        if not past.whole and past.since < since:
            past = await self._past(channel, since)
        found = next((Posted(channel, one.ts) for one in past.own if one.key == key), None)
        if found is None and not past.whole:
            raise Unreachable("Slack", "the history is too long to look through", failure=Failure.LATER)
        return found

    async def own(self, channel: str, *, since: float, thread: str | None = None) -> OwnMessages:
        """Our messages with a key, among the newest 2,000 messages."""
        past = await self._past(channel, since, thread)
        return OwnMessages(past.own, past.strangers)

    async def stranger(self, channel: str, ts: str) -> str:
        return await read_stranger(self._read, await self._identity(), channel, ts)

    def _metadata(self, key: str) -> Mapping[str, object]:
        return metadata_of(key, self._installation)

    async def _past(self, channel: str, since: float, thread: str | None = None) -> Past:
        return await read_past(self._read, await self._identity(), channel, since, thread)

    async def whisper(self, channel: str, user: str, message: Message, *, thread: str | None = None) -> None:
        await self._write("chat.postEphemeral", {"channel": channel, "user": user, **_sent(message, thread)})

    async def respond(self, url: str, message: Message, *, thread: str | None = None) -> None:
        arguments = {"response_type": "ephemeral", "replace_original": False, **_sent(message, thread)}
        await self._request("response_url", arguments, lambda: responded(self._client, url, arguments))

    async def open_view(self, trigger_id: str, view: Block) -> None:
        """Open a modal; an expired trigger raises GONE."""
        await self._write("views.open", {"trigger_id": trigger_id, "view": view})

    async def publish_home(self, user: str, view: Block) -> None:
        await self._write("views.publish", {"user_id": user, "view": view})

    async def permalink(self, channel: str, ts: str) -> str:
        """The link of a message, looked up once; empty if message or channel do not exist."""
        if (known := self._links.get(f"{channel}/{ts}")) is not None:
            return known
        try:
            answer = await self._read("chat.getPermalink", {"channel": channel, "message_ts": ts})
        except Unreachable as problem:
            if problem.failure in {Failure.GONE, Failure.PLACE}:
                return ""
            raise
        link = text_at(answer, "permalink")
        return self._links.keep(f"{channel}/{ts}", link) if link else ""

    async def person(self, user: str) -> Person:
        """A person, cached. An unknown person is no full member; errors raise, which denies."""
        if (known := self._people.get(user)) is not None:
            return known
        me = await self._identity()
        try:
            answer = await self._read("users.info", {"user": user})
        except Unreachable as problem:
            if problem.failure is not Failure.GONE:
                raise
            return self._people.keep(user, Person(user, full_member=False, outsider=Outsider.GONE))
        facts = inner(answer, "user")
        why = outsider(facts, me.team)
        found = Person(user, text_at(facts, "team_id"), why is None, why, teams_of(facts), name_of(facts))
        return self._people.keep(user, found)

    async def may_read(self, channel: str, user: str) -> bool:
        """Whether the channel is public or the person is in it, cached by channel; errors raise, which denies."""
        if (readers := self._readers.get(channel)) is None:
            info = await self._read("conversations.info", {"channel": channel})
            public = inner(info, "channel").get("is_private") is False
            readers = self._readers.keep(channel, EVERYBODY if public else await self._members(channel))
        return readers is EVERYBODY or user in readers

    async def in_channel(self, channel: str, user: str) -> bool:
        """Whether the person has joined the channel, cached by channel."""
        if (members := self._joined.get(channel)) is None:
            members = self._joined.keep(channel, await self._members(channel))
        return user in members

    async def _members(self, channel: str) -> frozenset[str]:
        arguments, found = {"channel": channel, "limit": "1000"}, set[str]()
        for _ in range(MOST_PAGES):
            answer = await self._read("conversations.members", arguments)
            found |= texts(answer.get("members"))
            arguments["cursor"] = text_at(inner(answer, "response_metadata"), "next_cursor")
            if not arguments["cursor"]:
                return frozenset(found)
        raise Unreachable("Slack", "conversations.members: too many members to look through", failure=Failure.LATER)

    async def group_members(self, group: str) -> frozenset[str]:
        """Members of a user group, cached. An unknown group raises GONE."""
        if (known := self._groups.get(group)) is not None:
            return known
        answer = await self._read("usergroups.users.list", {"usergroup": group})
        return self._groups.keep(group, texts(answer.get("users")))

    async def connect(self) -> None:
        """Raises when Slack does not know the token, or no longer knows it."""
        if self._connected.get("") is None:
            await self._ask_identity()

    async def _identity(self) -> Identity:
        return self._self or await self._ask_identity()

    async def _ask_identity(self) -> Identity:
        answer = await self._write("auth.test", {})
        bot, user, team = (text_at(answer, name) for name in ("bot_id", "user_id", "team_id"))
        found = Identity(bot, user, team, self._installation)
        if not found.bot and not found.user:  # no message would count as ours
            raise Unreachable("Slack", "auth.test: an answer without our ids", failure=Failure.UNKNOWN)
        self._self = self._connected.keep("", found)
        return found

    async def _write(self, method: str, arguments: Mapping[str, object]) -> Mapping[str, object]:
        async def write() -> Mapping[str, object]:
            return fields((await self._client.api_call(method, json=dict(arguments))).data)

        return await self._request(method, arguments, write)

    async def _read(self, method: str, arguments: Mapping[str, object]) -> Mapping[str, object]:
        async def read() -> Mapping[str, object]:
            return fields((await self._client.api_call(method, http_verb="GET", params=dict(arguments))).data)

        return await self._request(method, arguments, read)

    async def _request(
        self, method: str, arguments: Mapping[str, object], call: Callable[[], Awaitable[Mapping[str, object]]]
    ) -> Mapping[str, object]:
        """One request; LATER without a request while the method is paused."""
        lanes = {"chat.postMessage": post_lane(str(arguments.get("channel", ""))), "chat.update": EDIT_LANE}
        lane, wait = lanes.get(method, f"slack:{method}"), 0.0
        if not self.has_slot:
            with contextlib.suppress(Unreachable):  # without the store, a message is worth a 429
                wait = await self._lanes.acquire_slot(lane, "", 0.0, 1, urgent=False)
        if wait > 0:
            what = f"{method}: paused, because Slack answered 429"
            raise Unreachable("Slack", what, failure=Failure.LATER, retry_after_seconds=wait)
        return await self._outages.log_outages("Slack", self._called(method, arguments, lane, call))

    async def _called(
        self,
        method: str,
        arguments: Mapping[str, object],
        lane: str,
        call: Callable[[], Awaitable[Mapping[str, object]]],
    ) -> Mapping[str, object]:
        try:
            return await call()
        except ERRORS as error:
            # without a name here, or the error and its answer would keep each other until the next look for garbage
            raise await self._failed(error, method, arguments, lane) from None

    async def _failed(self, error: Exception, method: str, arguments: Mapping[str, object], lane: str) -> Unreachable:
        """The problem of a call; after a 429 its lane is paused."""
        problem = unreachable(error, method, arguments.get("blocks"))
        if problem.failure is Failure.LATER:
            with contextlib.suppress(Unreachable):
                await self._lanes.pause_lane(lane, problem.retry_after_seconds or 1.0)
        return problem


def _sent(message: Message, thread: str | None) -> dict[str, object]:
    """The arguments of every method that shows a message; an update has others, which always have blocks."""
    blocks = {"blocks": message.blocks} if message.blocks else {}
    return {"text": message.text, **blocks, **({} if thread is None else {"thread_ts": thread})}
