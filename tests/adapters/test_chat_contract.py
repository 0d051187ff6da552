"""What every Chat does, the fake and the real one against the stand-in for Slack: one set of promises."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

import pytest

from bot.ports import Chat, Failure, Message, Outsider, Person, Unreachable
from tests.adapters.slack.chatting import chatting
from tests.fakes import FakeChat, FakeClock
from tests.playground.slack_kit import standing

CI = "C0CIONCALL"
HELLO = Message("OPEN: 14 jobs wait", ({"type": "section", "text": {"type": "mrkdwn", "text": "14 jobs"}},))
SHORT = Message("RESOLVED: the queue is empty")


@dataclass
class Room:
    chat: Chat
    now: Callable[[], float]
    delete: Callable[[str, str], None]
    text_of: Callable[[str, str], str]
    advance: Callable[[float], None]


@pytest.fixture(params=["fake", "real"])
async def room(request: pytest.FixtureRequest) -> AsyncIterator[Room]:
    if request.param == "fake":
        clock = FakeClock()
        fake = FakeChat(clock, channels=[CI, "C0OPS"])
        fake.people = {"U0GUEST": Person("U0GUEST", "T0DEMO", full_member=False, outsider=Outsider.GUEST)}
        fake.groups = {"S0ONCALL": frozenset({"U0ANA", "U0BEN"})}
        texts = lambda channel, ts: next(m.message.text for m in fake.messages if m.ts == ts)  # noqa: E731 - one of two
        yield Room(fake, clock.now, fake.delete, texts, clock.advance)
        return
    async with standing() as kit, chatting(kit.url) as chat:

        def messages(channel: str) -> dict[str, dict[str, object]]:
            return kit.stand_in.workspace.channels[channel].messages

        def delete(channel: str, ts: str) -> None:
            del messages(channel)[ts]

        yield Room(chat, kit.clock, delete, lambda channel, ts: str(messages(channel)[ts]["text"]), kit.clock.advance)


async def failure(call: object) -> Failure:
    with pytest.raises(Unreachable) as caught:
        await call  # type: ignore[misc]  # a coroutine
    assert caught.value.system == "Slack"
    return caught.value.failure


async def test_a_message_is_found_again_by_its_mark(room: Room) -> None:
    """What P2 rests on: before a second post, look for the first; of several it is the oldest."""
    first = await room.chat.post(CI, HELLO, key="inc-1.root")
    for key in ("inc-2.root", "inc-1.root"):
        await room.chat.post(CI, HELLO, key=key)
    assert await room.chat.find(CI, "inc-1.root", since=room.now() - 5) == first
    assert await room.chat.find(CI, "inc-3.root", since=room.now() - 5) is None


async def test_what_was_posted_long_before_is_not_found(room: Room) -> None:
    await room.chat.post(CI, HELLO, key="inc-1.root")
    assert await room.chat.find(CI, "inc-1.root", since=room.now() + 3600) is None


async def test_a_reply_is_found_in_its_thread_alone(room: Room) -> None:
    root = await room.chat.post(CI, HELLO, key="inc-1.root")
    reply = await room.chat.post(CI, SHORT, key="inc-1.reply", thread=root.ts)
    assert await room.chat.find(CI, "inc-1.reply", since=room.now() - 5, thread=root.ts) == reply
    assert await room.chat.find(CI, "inc-1.reply", since=room.now() - 5) is None


async def test_an_update_replaces_the_text_and_keeps_the_mark(room: Room) -> None:
    """The key must survive every edit, or the message could not be found any more."""
    posted = await room.chat.post(CI, HELLO, key="inc-1.root")
    await room.chat.update(CI, posted.ts, SHORT)
    assert room.text_of(CI, posted.ts) == SHORT.text
    assert await room.chat.find(CI, "inc-1.root", since=room.now() - 5) == posted


async def test_a_message_that_was_deleted_is_gone(room: Room) -> None:
    posted = await room.chat.post(CI, HELLO, key="inc-1.root")
    other = await room.chat.post(CI, HELLO, key="inc-2.root")
    assert other.ts.replace(".", "") in await room.chat.permalink(CI, other.ts)
    room.delete(CI, posted.ts)
    assert await failure(room.chat.update(CI, posted.ts, SHORT)) is Failure.GONE
    assert await room.chat.permalink(CI, posted.ts) == ""


async def test_a_reply_under_a_deleted_parent_says_gone(room: Room) -> None:
    """Slack posts it at top level without an error (docs/design/slack.md#replies-to-a-deleted-parent)."""
    root = await room.chat.post(CI, HELLO, key="inc-1.root")
    room.delete(CI, root.ts)
    assert await failure(room.chat.post(CI, SHORT, key="inc-1.reply", thread=root.ts)) is Failure.GONE


async def test_a_channel_that_does_not_exist_is_a_wrong_place(room: Room) -> None:
    assert await failure(room.chat.post("C0NOWHERE", HELLO, key="m")) is Failure.PLACE


async def test_a_whisper_is_in_no_history(room: Room) -> None:
    await room.chat.whisper(CI, "U0ANA", SHORT)
    posted = await room.chat.post(CI, HELLO, key="m")
    assert await room.chat.find(CI, "m", since=room.now() - 5) == posted


async def test_people_are_told_from_guests(room: Room) -> None:
    assert (await room.chat.person("U0ANA")).full_member
    assert not (await room.chat.person("U0GUEST")).full_member


async def test_a_group_has_its_members_and_an_unknown_one_is_gone(room: Room) -> None:
    """A group that does not exist has no members, and the caller learns why."""
    assert await room.chat.group_members("S0ONCALL") == {"U0ANA", "U0BEN"}
    assert await failure(room.chat.group_members("S0NOBODY")) is Failure.GONE
