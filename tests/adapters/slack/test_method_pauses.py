"""A 429 on any Slack method pauses that method in every process until Retry-After has passed, and no other method."""

import ast
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from bot.adapters.slack import chat as module
from bot.adapters.slack.chat import SlackChat
from bot.core.message import EDIT_LANE, Message, post_lane
from bot.playground.slack.methods.registry import METHODS
from bot.ports import Failure, Posted, Unreachable
from tests.adapters.slack.chatting import chatting
from tests.fakes import FakeClock
from tests.fakes_store import FakeData, FakeStore
from tests.playground.slack_kit import Kit, modal, standing

CI = "C0CIONCALL"
HELLO = Message("OPEN: 14 jobs wait")
RETRY_SECONDS = 7


@dataclass
class Slack:
    """Two processes with one store, and the stand-in for Slack."""

    one: SlackChat
    other: SlackChat
    kit: Kit
    clock: FakeClock
    data: FakeData
    parent: Posted

    def requests(self, method: str) -> int:
        return len(self.kit.stand_in.log.of(method))


@pytest.fixture
async def slack() -> AsyncIterator[Slack]:
    """Each process knows who it is, so that `auth.test` is not asked again."""
    clock, data = FakeClock(), FakeData()
    process = partial(chatting, clock=clock, data=data)
    async with standing() as kit, process(kit.url) as one, process(kit.url) as other:
        parent = await one.post(CI, HELLO, key="m")
        yield Slack(one, other, kit, clock, data, parent)


async def _nobody_yet(chat: SlackChat, _: Slack) -> object:
    chat._self = None
    return await chat._identity()


async def _of_a_private_channel(chat: SlackChat, slack: Slack) -> object:
    slack.kit.stand_in.workspace.channels[CI].is_private = True
    return await chat.may_read(CI, "U0ANA")


CALLS: dict[str, Callable[[SlackChat, Slack], Awaitable[object]]] = {
    "auth.test": _nobody_yet,
    "chat.postMessage": lambda chat, _: chat.post(CI, HELLO, key="m"),
    "chat.update": lambda chat, s: chat.update(CI, s.parent.ts, HELLO),
    "chat.postEphemeral": lambda chat, _: chat.whisper(CI, "U0ANA", HELLO),
    "chat.getPermalink": lambda chat, s: chat.permalink(CI, s.parent.ts),
    "conversations.history": lambda chat, _: chat.own(CI, since=0.0),
    "conversations.replies": lambda chat, s: chat.find(CI, "x", since=0.0, thread=s.parent.ts),
    "conversations.info": lambda chat, _: chat.may_read(CI, "U0ANA"),
    "conversations.members": _of_a_private_channel,
    "users.info": lambda chat, _: chat.person("U0ANA"),
    "usergroups.users.list": lambda chat, _: chat.group_members("S0ONCALL"),
    "views.open": lambda chat, s: chat.open_view(s.kit.stand_in.api.slack.tickets.trigger("U0ANA"), modal()),
    "views.publish": lambda chat, _: chat.publish_home("U0ANA", {"type": "home", "blocks": []}),
}
"""Slack method: what calls it."""


def test_every_method_that_the_adapter_calls_is_tried() -> None:
    """The list is read from the adapter's own code, so that the next method is not forgotten."""
    folder = Path(module.__file__).parent
    trees = [ast.parse(path.read_text("utf-8")) for path in folder.glob("*.py") if path.stem != "doctor"]
    texts = {node.value for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    assert {text for text in texts if text in METHODS or text == "upload"} == set(CALLS)


async def later(call: Awaitable[object]) -> Unreachable:
    with pytest.raises(Unreachable) as caught:
        await call
    assert caught.value.failure is Failure.LATER
    return caught.value


@pytest.mark.parametrize("method", CALLS)
async def test_a_429_pauses_the_method_in_every_process_until_its_time_has_passed(method: str, slack: Slack) -> None:
    """One request is refused; nobody asks again before, and then it is answered."""
    call = CALLS[method]
    await slack.other.person("U0BEN")
    await slack.one.person("U0BEN")
    before = slack.requests(method)
    slack.kit.stand_in.faults.rate_limit(method, str(RETRY_SECONDS))
    await later(call(slack.one, slack))
    assert slack.requests(method) == before + 1
    for process in (slack.one, slack.other):
        refused = await later(call(process, slack))
        assert refused.retry_after_seconds == pytest.approx(RETRY_SECONDS, abs=0.01)
    assert slack.requests(method) == before + 1
    slack.clock.advance(RETRY_SECONDS + 0.01)
    slack.kit.clock.advance(RETRY_SECONDS + 0.01)
    await call(slack.other, slack)
    assert slack.requests(method) == before + 2


async def test_other_methods_and_channels_go_on(slack: Slack) -> None:
    """Posts are limited per channel, everything else per method."""
    slack.kit.stand_in.faults.rate_limit("chat.postMessage", "60", channel=CI)
    await later(slack.one.post(CI, HELLO, key="m"))
    await slack.one.post("C0OPS", HELLO, key="m")
    await slack.one.update(CI, slack.parent.ts, HELLO)


async def test_a_store_out_of_reach_pauses_nothing(slack: Slack) -> None:
    """A message is worth a 429."""
    slack.data.broken = Unreachable("Redis", "connection refused")
    await slack.one.update(CI, slack.parent.ts, HELLO)


async def test_a_permalink_is_looked_up_once_per_message(slack: Slack) -> None:
    """Lists and App Home show the same threads again and again."""
    links = {await slack.one.permalink(CI, slack.parent.ts) for _ in range(5)}
    assert len(links) == 1
    assert slack.requests("chat.getPermalink") == 1
    assert await slack.one.permalink(CI, "1.1") == ""


async def test_whoever_has_a_slot_does_not_ask_for_the_pause_again(slack: Slack) -> None:
    """The lane of the slot is the one that a 429 pauses, for messages with and without a slot."""
    store = FakeStore(slack.clock.now, slack.clock.monotonic, data=slack.data)
    for in_turn, other, lane, method in (
        (slack.one.in_turn.post, slack.other.post, post_lane(CI), "chat.postMessage"),
        (
            partial(slack.one.in_turn.update, ts=slack.parent.ts),
            partial(slack.other.update, ts=slack.parent.ts),
            EDIT_LANE,
            "chat.update",
        ),
    ):
        slack.kit.stand_in.faults.rate_limit(method, str(RETRY_SECONDS))
        await later(in_turn(CI, message=HELLO, key="m"))
        assert await store.acquire_slot(lane, "i", 0.0, 1, urgent=True) == pytest.approx(RETRY_SECONDS, abs=0.01)
        assert (await later(other(CI, message=HELLO, key="m"))).retry_after_seconds == pytest.approx(
            RETRY_SECONDS, abs=0.01
        )
        slack.kit.clock.advance(RETRY_SECONDS + 0.01)
        await in_turn(CI, message=HELLO, key="m")
