"""SlackChat against the stand-in for Slack: one call is one request, and every kind of weather has its class."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from bot.adapters.slack.answers import Identity, key_of, metadata_of, outsider
from bot.adapters.slack.chat import CONNECTED_SECONDS, SlackChat
from bot.adapters.slack.history import Past, SharedReads
from bot.ports import Failure, Message, Own, OwnMessages, Posted, Unreachable
from tests.adapters.slack.chatting import chatting
from tests.answering import answering, answering_with
from tests.fakes import FakeClock
from tests.playground.slack_kit import Kit, modal, section, standing
from tests.ports import free_port

CI = "C0CIONCALL"
HELLO = Message("OPEN: 14 jobs wait", (section("14 jobs"),))


@dataclass
class Scene:
    chat: SlackChat
    kit: Kit
    clock: FakeClock

    def calls(self, method: str) -> list[dict[str, object]]:
        return [dict(entry.args) for entry in self.kit.stand_in.log.of(method)]


@pytest.fixture
async def scene() -> AsyncIterator[Scene]:
    """A served stand-in and an adapter with a clock of its own."""
    clock = FakeClock()
    async with standing() as kit, chatting(kit.url, clock=clock) as chat:
        yield Scene(chat, kit, clock)


async def problem(call: object) -> Unreachable:
    with pytest.raises(Unreachable) as caught:
        await call  # type: ignore[misc]  # a coroutine
    assert "xoxb" not in str(caught.value)
    return caught.value


async def test_a_post_carries_the_mark_alone_and_unfurls_nothing(scene: Scene) -> None:
    """Metadata is readable by every app: an opaque id and no more (C19)."""
    await scene.chat.post(CI, HELLO, key="inc-1.root")
    calls = scene.calls("chat.postMessage")[0]
    payload = {"mark": "inc-1.root", "installation": "default"}
    assert calls["metadata"] == {"event_type": "tailback", "event_payload": payload}
    assert (calls["unfurl_links"], calls["unfurl_media"], calls["text"]) == (False, False, HELLO.text)


async def test_an_update_always_sends_blocks(scene: Scene) -> None:
    """Slack drops blocks that an update omits (docs/design/slack.md#updates-drop-blocks)."""
    posted = await scene.chat.post(CI, HELLO, key="m")
    await scene.chat.update(CI, posted.ts, Message("plain"))
    assert scene.calls("chat.update")[0]["blocks"] == []


async def test_a_reply_can_be_shown_in_the_channel_too(scene: Scene) -> None:
    """Only for opened, worse and resolved; that is decided elsewhere."""
    root = await scene.chat.post(CI, HELLO, key="r")
    await scene.chat.post(CI, HELLO, key="a", thread=root.ts, broadcast=True)
    assert scene.calls("chat.postMessage")[1]["reply_broadcast"] is True


@pytest.mark.parametrize(
    ("break_it", "failure"),
    [
        (lambda faults: faults.drop_reply("chat.postMessage"), Failure.UNKNOWN),
        (lambda faults: faults.refuse("chat.postMessage"), Failure.UNKNOWN),
        (lambda faults: faults.garbage("chat.postMessage"), Failure.UNKNOWN),
        (lambda faults: faults.garbage("chat.postMessage", b'{"ok": tr'), Failure.UNKNOWN),
        (lambda faults: faults.garbage("chat.postMessage", b'["ok"]'), Failure.UNKNOWN),
        (lambda faults: faults.garbage("chat.postMessage", b'\xff\xfe"'), Failure.UNKNOWN),
        (lambda faults: faults.garbage("chat.postMessage", b"oops", 500), Failure.UNKNOWN),
        (lambda faults: faults.status("chat.postMessage", 503), Failure.UNKNOWN),
        (lambda faults: faults.rate_limit("chat.postMessage", "7"), Failure.LATER),
        (lambda faults: faults.error("chat.postMessage", "token_revoked"), Failure.CREDENTIALS),
        (lambda faults: faults.error("chat.postMessage", "is_archived"), Failure.PLACE),
        (lambda faults: faults.error("chat.postMessage", "msg_blocks_too_long"), Failure.SHAPE),
    ],
)
async def test_whatever_happens_slack_sees_one_request(
    scene: Scene, break_it: Callable[..., object], failure: Failure
) -> None:
    """The SDK would send a write twice after a cut connection (docs/design/measurements.md#slack-sdk-retries)."""
    break_it(scene.kit.stand_in.faults)
    error = await problem(scene.chat.post(CI, HELLO, key="m"))
    assert error.failure is failure
    assert len(scene.calls("chat.postMessage")) == 1
    if failure is Failure.LATER:
        assert error.retry_after_seconds == 7


async def test_a_post_whose_answer_was_lost_is_found(scene: Scene) -> None:
    """The way back from UNKNOWN to one thread."""
    scene.kit.stand_in.faults.drop_reply("chat.postMessage")
    await problem(scene.chat.post(CI, HELLO, key="inc-1.root"))
    assert isinstance(await scene.chat.find(CI, "inc-1.root", since=scene.kit.clock() - 5), Posted)


async def test_nobody_listening_means_not_posted() -> None:
    """A refused connection is the one error that proves it."""
    async with chatting(f"http://127.0.0.1:{free_port()}") as chat:
        assert (await problem(chat.post(CI, HELLO, key="m"))).failure is Failure.UNCONNECTED


async def test_a_redirect_is_not_followed() -> None:
    """The token goes to the configured address and to no other (C6)."""
    seen: list[str] = []

    async def endpoint(request: Request) -> Response:
        seen.append(request.url.path)
        return Response(status_code=307, headers={"Location": "/elsewhere"})

    async with answering(endpoint) as url, chatting(url) as chat:
        error = await problem(chat.post(CI, HELLO, key="m"))
    assert seen == ["/api/chat.postMessage"]
    assert "redirect" in error.what


async def test_a_strange_content_type_is_no_crash() -> None:
    """A proxy answers in plain text with 200: the SDK trips over it, and it counts as no answer."""
    gateway = answering_with("gateway says hello", content_type="text/plain")
    async with gateway as url, chatting(url) as chat:
        assert (await problem(chat.post(CI, HELLO, key="m"))).failure is Failure.UNKNOWN


async def test_a_mark_that_somebody_else_copied_is_not_ours(scene: Scene) -> None:
    """Any app can write our key; only our own bot id counts (P2)."""
    posted = await scene.chat.post(CI, HELLO, key="inc-1.root")
    stored = scene.kit.stand_in.workspace.channels[CI].messages[posted.ts]
    stored |= {"bot_id": "B0STRANGER", "user": "U0STRANGER"}
    assert await scene.chat.find(CI, "inc-1.root", since=scene.kit.clock() - 5) is None
    assert await scene.chat.own(CI, since=scene.kit.clock() - 5) == OwnMessages()


async def test_what_another_installation_posted_with_the_same_token_is_not_ours(scene: Scene) -> None:
    """The id in the metadata decides; messages from before there were ids are those of `default`."""
    posted = await scene.chat.post(CI, HELLO, key="early/a/1.000")
    stored = scene.kit.stand_in.workspace.channels[CI].messages[posted.ts]
    since = scene.kit.clock() - 5
    async with chatting(scene.kit.url, clock=scene.clock, installation="staging") as other:
        assert await other.find(CI, "early/a/1.000", since=since) is None
        assert await other.own(CI, since=since) == OwnMessages(strangers=frozenset({"default"}))
        assert await other.stranger(CI, posted.ts) == "default"
        stored["metadata"] = {"event_type": "tailback", "event_payload": {"mark": "early/a/1.000"}}
        assert await other.stranger(CI, posted.ts) == "default"
        assert (await problem(other.stranger(CI, "1.000001"))).failure is Failure.GONE
    assert await scene.chat.stranger(CI, posted.ts) == ""
    assert await scene.chat.own(CI, since=since) == OwnMessages((Own(posted.ts, "early/a/1.000"),))
    await scene.chat.update(CI, posted.ts, HELLO, key="early/a/1.000")
    assert stored["metadata"] == metadata_of("early/a/1.000", "default")


async def test_a_busy_channel_is_looked_through_page_by_page(scene: Scene) -> None:
    """A commercially distributed app gets 15 messages a page; the key is older than many others."""
    posted = await scene.chat.post(CI, HELLO, key="inc-1.root")
    for n in range(40):
        await scene.chat.post(CI, HELLO, key=f"other-{n}")
    scene.kit.stand_in.settings.history_objects = 15
    assert await scene.chat.find(CI, "inc-1.root", since=scene.kit.clock() - 60) == posted
    assert len(scene.calls("conversations.history")) == 3
    await scene.chat.connect()
    assert len(scene.calls("auth.test")) == 1
    scene.clock.advance(CONNECTED_SECONDS)
    await scene.chat.connect()
    assert len(scene.calls("auth.test")) == 2, "the token may have been revoked"


async def test_more_messages_than_can_be_looked_through_are_doubt_not_absence(scene: Scene) -> None:
    """None would mean "post again", which could be a second thread."""
    for n in range(21):
        await scene.chat.post(CI, HELLO, key=f"other-{n}")
    scene.kit.stand_in.settings.history_objects = 2
    error = await problem(scene.chat.find(CI, "inc-1.root", since=scene.kit.clock() - 60))
    assert error.failure is Failure.LATER


@pytest.mark.parametrize("lacking", [1, 2])
async def test_an_answer_that_lacks_everything_is_doubt_not_absence(lacking: int) -> None:
    """A gateway that answers `{"ok": true}` is not asked in vain: the next answer counts, if it lacks as much too."""
    key = {"event_type": "tailback", "event_payload": {"mark": "inc-1.root"}}
    message = {"ts": "1.000001", "bot_id": "B0US", "metadata": key}
    good: dict[str, dict[str, object]] = {
        "auth.test": {"bot_id": "B0US"},
        "conversations.history": {"messages": [{}, {"ts": 1}, message]},
    }
    left = {"auth.test": 1, "conversations.history": lacking}

    async def endpoint(request: Request) -> Response:
        calls = request.path_params["path"].rpartition("/")[2]
        left[calls] -= 1
        return JSONResponse({"ok": True} if left[calls] >= 0 else {"ok": True, **good[calls]})

    async with answering(endpoint) as url, chatting(url) as chat:
        assert (await problem(chat.find(CI, "inc-1.root", since=0.0))).failure is Failure.UNKNOWN, "of auth.test"
        found = await chat.find(CI, "inc-1.root", since=0.0)
        assert found == (Posted(CI, "1.000001") if lacking == 1 else None)


async def test_those_who_wait_for_the_same_history_share_a_read(scene: Scene) -> None:
    """After a crash in a storm dozens of messages are in doubt, and Slack allows 50 reads a minute.

    Who comes while a read is under way waits for the next one: the first may have passed what they look for.
    """
    posted = [await scene.chat.post(CI, HELLO, key=f"inc-{n}") for n in range(8)]
    since = scene.kit.clock() - 5
    searches = [scene.chat.find(CI, f"inc-{n}", since=since - n) for n in range(9)]
    assert await asyncio.gather(*searches) == [*posted, None]
    assert len(scene.calls("conversations.history")) == 1

    scene.kit.stand_in.faults.rate_limit("conversations.history", "7")
    refused = await asyncio.gather(*(problem(scene.chat.find(CI, f"inc-{n}", since=since)) for n in range(3)))
    assert {one.failure for one in refused} == {Failure.LATER}
    assert len(scene.calls("conversations.history")) == 2


async def test_a_message_posted_during_a_shared_read_is_found_by_the_next() -> None:
    """Read again for who came late, once for all of them, from the earliest time that one of them needs."""
    reads: list[float] = []
    first = asyncio.Event()

    async def read(_: str, since: float) -> Past:
        reads.append(since)
        if len(reads) == 1:
            await first.wait()
        return Past((), since, whole=True)

    shared = SharedReads(read)
    early = asyncio.create_task(shared.past(CI, 5.0))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    late = [asyncio.create_task(shared.past(CI, since)) for since in (4.0, 2.0, 3.0)]
    late[0].cancel()
    await asyncio.sleep(0)
    first.set()
    assert (await early).since == 5.0
    assert {(await one).since for one in late[1:]} == {2.0}
    assert reads == [5.0, 2.0]


async def test_people_and_groups_are_asked_for_once_a_minute(scene: Scene) -> None:
    """A membership that was taken away is noticed within 60 s (C7)."""
    for _ in range(3):
        await scene.chat.person("U0ANA")
        await scene.chat.group_members("S0INFRA")
    scene.clock.advance(59)
    await scene.chat.person("U0ANA")
    assert (len(scene.calls("users.info")), len(scene.calls("usergroups.users.list"))) == (1, 1)
    scene.clock.advance(2)
    await scene.chat.person("U0ANA")
    await scene.chat.group_members("S0INFRA")
    assert (len(scene.calls("users.info")), len(scene.calls("usergroups.users.list"))) == (2, 2)


async def test_a_private_channel_is_read_by_its_members(scene: Scene) -> None:
    """A public one by everybody; both are asked for once a minute, and an error denies."""
    channel = scene.kit.stand_in.workspace.channels[CI]
    assert await scene.chat.may_read(CI, "U0NOBODY")
    channel.is_private = True
    scene.clock.advance(61)
    channel.members |= {f"U0{number:04}" for number in range(1500)} | {"U0ZOE"}
    assert [await scene.chat.may_read(CI, who) for who in ("U0ZOE", "U0NOBODY")] == [True, False]
    assert (len(scene.calls("conversations.info")), len(scene.calls("conversations.members"))) == (2, 2)
    channel.members.remove("U0ZOE")
    scene.clock.advance(61)
    assert not await scene.chat.may_read(CI, "U0ZOE")
    channel.members.remove("U0TAILBACK")
    scene.clock.advance(61)
    with pytest.raises(Unreachable):
        await scene.chat.may_read(CI, "U0ZOE")


async def test_guests_strangers_and_nobody_are_no_full_members(scene: Scene) -> None:
    """A definite answer denies; an error raises, and then the caller denies."""
    verdicts = {user: (await scene.chat.person(user)).full_member for user in ("U0ANA", "U0GUEST", "U0OTHER", "U0NO")}
    assert verdicts == {"U0ANA": True, "U0GUEST": False, "U0OTHER": False, "U0NO": False}
    scene.kit.stand_in.faults.status("users.info", 500)
    assert (await problem(scene.chat.person("U0BEN"))).failure is Failure.UNKNOWN
    assert (await scene.chat.person("U0BEN")).full_member


async def test_a_trigger_that_is_over_is_gone(scene: Scene) -> None:
    """The 3 s are over or it was used: no reason to try again."""
    error = await problem(scene.chat.open_view("1.2.made-up", modal()))
    assert error.failure is Failure.GONE


MEMBER = {"id": "U1", "team_id": "T1"}


@pytest.mark.parametrize(
    ("facts", "full"),
    [
        (MEMBER, True),
        ({}, False),
        ({"id": "U1"}, False),
        ({**MEMBER, "team_id": "T2"}, False),
        ({**MEMBER, "team_id": "E1", "enterprise_user": {"teams": ["T0", "T1"]}}, True),
        ({**MEMBER, "team_id": "T2", "enterprise_user": {"teams": ["T2"]}}, False),
        ({**MEMBER, "is_restricted": True}, False),
        ({**MEMBER, "is_ultra_restricted": True}, False),
        ({**MEMBER, "is_bot": True}, False),
        ({**MEMBER, "is_stranger": True}, False),
        ({**MEMBER, "deleted": True}, False),
    ],
)
def test_a_full_member_is_what_slack_clearly_says(facts: dict[str, object], full: bool) -> None:
    """What is missing counts against it; an Enterprise Grid member counts in each of their workspaces."""
    assert (outsider(facts, "T1") is None) is full
    assert outsider(facts, "")


def test_metadata_of_another_kind_is_no_mark() -> None:
    """What a message carries for something else is not read as an incident."""
    assert key_of({"metadata": {**metadata_of("m", "default"), "event_type": "deployed"}}) == ""
    assert key_of({"metadata": metadata_of("m", "default")}) == "m"


def test_without_an_identity_nothing_is_ours() -> None:
    """auth.test that says nothing must not make every message ours."""
    message = {"bot_id": "", "user": "", "metadata": metadata_of("m", "default")}
    assert key_of(message) == "m"
    assert not Identity("", "", "").wrote(message)
    assert not Identity("", "", "").wrote({})
