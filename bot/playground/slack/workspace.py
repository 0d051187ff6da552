"""The workspace's state: messages and who sees them; no I/O, the clock is passed in."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from bot.playground.slack.page_api.modals import Views
from bot.playground.slack.people import GROUPS, PEOPLE, Bot, Channel, Team, WorkspacePerson
from bot.playground.slack.wire import Json, SlackError, text

Clock = Callable[[], float]
"""Seconds since the epoch."""


@dataclass(slots=True)
class Ephemeral:
    """A message that one person sees and that is never in the history."""

    channel: str
    user: str
    message: Json


@dataclass
class Workspace:
    """One team's people, channels and messages. Stored messages have the shape that Slack's API shows.

    `seq` grows with every change that a person could see; `on_change` callbacks are called each time.
    """

    clock: Clock
    team: Team = field(default_factory=Team)
    bot: Bot = field(default_factory=Bot)

    def __post_init__(self) -> None:
        self.persons = {person.id: person for person in PEOPLE}
        self.usergroups = {group.id: group for group in GROUPS}
        everyone = {*self.persons, self.bot.user_id}
        channels = {"C0CIONCALL": "ci", "C0OPS": "ops", "C0DEVINFRA": "dev-infra", "C0RANDOM": "random"}
        self.channels = {one: Channel(one, name, set(everyone)) for one, name in channels.items()}
        self.channels["C0RANDOM"].members.remove(self.bot.user_id)
        self.ephemerals: list[Ephemeral] = []
        self.views = Views()
        self.guide: list[Json] = []
        self.seq = 0
        self.on_change: set[Callable[[], None]] = set()
        self._last_ts_micros = 0
        self._last_id = 0

    def touch(self) -> None:
        """Notifies of a visible change."""
        self.seq += 1
        for tell in list(self.on_change):
            tell()

    def next_ts(self) -> str:
        """The time as a message id: unique and growing, also when the clock stands still."""
        self._last_ts_micros = max(int(self.clock() * 1_000_000), self._last_ts_micros + 1)
        return f"{self._last_ts_micros // 1_000_000}.{self._last_ts_micros % 1_000_000:06d}"

    def next_id(self, prefix: str) -> str:
        """A new id such as `V0000012`."""
        self._last_id += 1
        return f"{prefix}{self._last_id:07d}"

    def channel(self, name: str) -> Channel:
        """A channel by its id or its `#name`. Raises SlackError: `channel_not_found`."""
        found = self.channels.get(name)
        if found is None and name.startswith("#"):
            found = next((channel for channel in self.channels.values() if channel.name == name[1:]), None)
        if found is None:
            raise SlackError("channel_not_found")
        return found

    def direct(self, user_id: str) -> Channel:
        """The direct conversation of the bot with a person, opened when needed."""
        channel_id = f"D{user_id[1:]}"
        if channel_id not in self.channels:
            self.channels[channel_id] = Channel(channel_id, "", {user_id, self.bot.user_id}, is_im=True)
        return self.channels[channel_id]

    def with_ids(self, blocks: Sequence[Json]) -> list[Json]:
        """Copies of blocks with a `block_id` wherever the app gave none, as Slack does."""
        return [{"block_id": self.next_id("b"), **block} for block in blocks]

    def bot_message(self, body: str, blocks: Sequence[Json] | None) -> Json:
        """A message of the bot, not yet written anywhere."""
        bot = {"bot_id": self.bot.bot_id, "app_id": self.bot.app_id}
        profile = {"id": self.bot.bot_id, "app_id": self.bot.app_id, "name": self.bot.name}
        message: Json = {"type": "message", "user": self.bot.user_id, **bot, "team": self.team.id, "text": body}
        message["bot_profile"] = profile
        if blocks:
            message["blocks"] = self.with_ids(blocks)
        return message

    def write(self, channel: Channel, message: Json, thread_ts: str | None = None, broadcast: bool = False) -> Json:
        """Stores a message and gives it its `ts`.

        A reply to a parent that is gone becomes a top-level message without an error, as in Slack.

        Raises SlackError: `cannot_reply_to_message` when `thread_ts` is itself a reply.
        """
        parent = channel.messages.get(thread_ts) if thread_ts else None
        if parent is not None and parent.get("thread_ts", parent["ts"]) != parent["ts"]:
            raise SlackError("cannot_reply_to_message")
        message["ts"] = self.next_ts()
        if parent is not None:
            message["thread_ts"] = parent["ts"]
            message["parent_user_id"] = parent.get("user", "")
            if broadcast:
                message["subtype"] = "thread_broadcast"
            self._count_reply(parent, message)
        channel.messages[text(message, "ts")] = message
        self.touch()
        return message

    def _count_reply(self, parent: Json, reply: Json) -> None:
        users = parent.get("reply_users")
        known = list(users) if isinstance(users, list) else []
        if reply.get("user") not in known:
            known.append(reply.get("user"))
        parent.update(thread_ts=parent["ts"], reply_count=_replies(parent) + 1, latest_reply=reply["ts"])
        parent.update(reply_users=known, reply_users_count=len(known), is_locked=False, subscribed=False)

    def find(self, channel: Channel, ts: str) -> Json:
        """A stored message. Raises SlackError: `message_not_found`."""
        message = channel.messages.get(ts)
        if message is None:
            raise SlackError("message_not_found")
        return message

    def whisper(self, channel: Channel, user: str, message: Json, thread_ts: str | None = None) -> Json:
        """Shows a message to one person only."""
        message["ts"] = self.next_ts()
        if thread_ts:
            message["thread_ts"] = thread_ts
        self.ephemerals.append(Ephemeral(channel.id, user, message))
        self.touch()
        return message

    def whispered(self, ts: str) -> Ephemeral | None:
        """An ephemeral message by its `ts`."""
        return next((each for each in reversed(self.ephemerals) if each.message.get("ts") == ts), None)

    def user_public(self, user_id: str) -> Json:
        """A user as `users.info` tells it, the bot included. Raises SlackError: `user_not_found`."""
        if user_id == self.bot.user_id:
            bot = WorkspacePerson(user_id, self.bot.name, self.bot.name, self.team.id)
            return {**bot.public(self.team.id), "is_bot": True}
        person = self.persons.get(user_id)
        if person is None:
            raise SlackError("user_not_found")
        return person.public(self.team.id)

    def name_of(self, user_id: str) -> str:
        """A user's name, for people."""
        if user_id == self.bot.user_id:
            return self.bot.name
        person = self.persons.get(user_id)
        return person.name if person is not None else user_id


def _replies(parent: Json) -> int:
    count = parent.get("reply_count")
    return count if isinstance(count, int) else 0
