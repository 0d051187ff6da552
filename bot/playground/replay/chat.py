"""A chat that records all posts, edits and replies, in order."""

from collections.abc import Callable
from dataclasses import dataclass

from bot.core.message import Block, Message
from bot.playground.replay.journal import JournalForm, JournalMessage
from bot.ports import Failure, Own, OwnMessages, Person, Posted, Unreachable

TEAM = "T0REPLAY"


@dataclass(slots=True)
class _Standing:
    posted: Posted
    at: float
    key: str
    thread: str | None


class RecordingChat:
    """Implements `bot.ports.Chat`; all channels and people exist, and nothing fails."""

    def __init__(self, now: Callable[[], float], write: Callable[[JournalMessage], None]) -> None:
        """`now` gives epoch seconds; `write` stores messages."""
        self._now, self._write = now, write
        self._standing: dict[tuple[str, str], _Standing] = {}

    @property
    def in_turn(self) -> "RecordingChat":
        """Itself."""
        return self

    async def post(
        self, channel: str, message: Message, *, key: str, thread: str | None = None, broadcast: bool = False
    ) -> Posted:
        """Record it; message ids count up from the time."""
        now = self._now()
        posted = Posted(channel, f"{int(now)}.{len(self._standing) + 1:06d}")
        self._standing[channel, posted.ts] = _Standing(posted, now, key, thread)
        form = JournalForm.REPLY if thread else JournalForm.POST
        self._write(
            JournalMessage(now, form, channel, message.text, posted.ts, thread or "", bool(thread) and broadcast, key)
        )
        return posted

    async def update(self, channel: str, ts: str, message: Message, *, key: str = "") -> None:
        """Record the new text. Raises Unreachable(GONE) for an unknown message."""
        standing = self._standing.get((channel, ts))
        if standing is None:
            raise Unreachable("Slack", "message_not_found", failure=Failure.GONE)
        standing.key = key or standing.key
        form = JournalForm.REWORDED if standing.thread else JournalForm.EDIT
        self._write(
            JournalMessage(self._now(), form, channel, message.text, ts, standing.thread or ts, key=standing.key)
        )

    async def find(self, channel: str, key: str, *, since: float, thread: str | None = None) -> Posted | None:
        """The oldest message with the key."""
        for one in self._standing.values():
            here = one.posted.channel == channel and one.thread == thread
            if here and one.key == key and one.at >= since:
                return one.posted
        return None

    async def own(self, channel: str, *, since: float, thread: str | None = None) -> OwnMessages:
        """The messages of a channel outside threads, or of a thread."""
        found = (one for one in self._standing.values() if one.posted.channel == channel and one.thread == thread)
        return OwnMessages(tuple(Own(one.posted.ts, one.key) for one in found if one.key and one.at >= since))

    async def stranger(self, channel: str, ts: str) -> str:  # noqa: ARG002 - the port's shape
        """Nobody else writes here."""
        return ""

    async def whisper(self, channel: str, user: str, message: Message, *, thread: str | None = None) -> None:
        """Does nothing: nobody asks for anything."""

    async def respond(self, url: str, message: Message, *, thread: str | None = None) -> None:
        """Does nothing: nobody asks for anything."""

    async def open_view(self, trigger_id: str, view: Block) -> None:
        """Does nothing: there are no dialogs."""

    async def publish_home(self, user: str, view: Block) -> None:
        """Does nothing: there is no App Home."""

    async def permalink(self, channel: str, ts: str) -> str:  # noqa: ARG002 - the port's shape
        """Empty: these messages have no address."""
        return ""

    async def person(self, user: str) -> Person:
        """Everybody is a full member of one workspace."""
        return Person(user, TEAM)

    async def may_read(self, channel: str, user: str) -> bool:  # noqa: ARG002 - the port's shape
        """Every channel of a recording is public."""
        return True

    async def in_channel(self, channel: str, user: str) -> bool:  # noqa: ARG002 - the port's shape
        """Everybody is in every channel of a recording."""
        return True

    async def group_members(self, group: str) -> frozenset[str]:  # noqa: ARG002 - the port's shape
        """Nobody."""
        return frozenset()

    async def connect(self) -> None:
        """Always works."""
