"""A workspace that lacks a block: from alert to summary nothing is lost or doubled, and every button works."""

from types import SimpleNamespace
from typing import Any

import pytest
from slack_sdk.errors import SlackApiError

from bot.adapters.slack.failures import unknown_block
from bot.core.message import Message
from bot.core.requests.interaction import judgement_value
from bot.playground.slack.rules.blocks import check_blocks
from bot.ports import Failure, Posted, Unreachable
from bot.views.simpler import YOUNG, kinds_of
from tests.builders import POOL
from tests.fakes import FakeChat, FakeClock
from tests.slack_driver import elements_of
from tests.slack_limits import texts
from tests.world import OTHER_POOL, World, spoken


class StrictChat(FakeChat):
    """Takes what the local workspace takes: its rules, and the types that it lacks."""

    def __init__(self, clock: FakeClock, lacks: frozenset[str]) -> None:
        super().__init__(clock)
        self.lacks, self.refusals = lacks, 0
        self.first: list[Message] = []
        """The messages as they were posted, before any edit."""

    def _valid(self, message: Message) -> None:
        if problems := check_blocks(list(message.blocks), "message", self.lacks):
            self.refusals += 1
            body = {"ok": False, "error": "invalid_blocks", "response_metadata": {"messages": problems}}
            block = unknown_block(SlackApiError("refused", SimpleNamespace(data=body)), message.blocks)  # type: ignore[no-untyped-call]  # the SDK is untyped
            raise Unreachable("Slack", "invalid_blocks", failure=Failure.SHAPE, block=block)

    async def post(self, channel: str, message: Message, **more: Any) -> Posted:
        self._valid(message)
        self.first.append(message)
        return await super().post(channel, message, **more)

    async def update(self, channel: str, ts: str, message: Message, **more: Any) -> None:
        self._valid(message)
        await super().update(channel, ts, message, **more)


IN_FULL: list[tuple[list[Message], set[str], StrictChat]] = []


async def played(*lacks: str) -> tuple[list[Message], set[str], StrictChat]:
    """(the messages in order, every button's value that ever stood in the thread, the chat) of one story."""
    world = World()
    chat = StrictChat(world.clock, frozenset(lacks))
    chat.groups = world.chat.groups
    world.chat = world.context.chat = chat
    world.queues(20, busy=40, idle=0, offline=0, limit=40)
    world.queues(6, pool=OTHER_POOL, busy=4, idle=0, offline=0, limit=4)
    await world.fires(spoken("a1"), spoken("a2", runner_label=OTHER_POOL))
    for more in range(6):
        world.queues(20 + more, busy=40, idle=0, offline=0, limit=40)
        await world.passes(60)
    values = buttons(chat)
    await world.asks("ack")
    await world.asks("diagnose")
    await world.passes(30)
    values |= buttons(chat)
    await world.asks("chart")
    await world.asks("cause_fit", request_id=judgement_value(world.incident.id, "limit", fits=True))
    world.queues(0, busy=3, idle=37, offline=0, limit=40)
    world.queues(0, pool=OTHER_POOL, busy=1, idle=3, offline=0, limit=4)
    await world.fires(spoken("a1", firing=False), spoken("a2", firing=False, runner_label=OTHER_POOL))
    await world.passes(600)
    assert world.incident.closed
    assert world.incident.thread.plain is False
    return [stored.message for stored in chat.messages], values | buttons(chat), chat


async def in_full() -> tuple[list[Message], set[str], StrictChat]:
    """The same where Slack takes every block; played once for all tests."""
    if not IN_FULL:
        IN_FULL.append(await played())
    return IN_FULL[0]


def buttons(chat: FakeChat) -> set[str]:
    """The values of all buttons that can be pressed now, thumbs included."""
    found = [element for stored in chat.messages for _, element in elements_of(list(stored.message.blocks))]  # type: ignore[arg-type]  # blocks are dicts here
    return {str(element["value"]) for element in found if "value" in element}


def words(messages: list[Message]) -> list[set[str]]:
    """The words of each message, as a reader sees them."""
    return [
        {word.strip("…*") for text in texts(one.blocks) for word in text.replace("`", "").split()} for one in messages
    ]


@pytest.mark.parametrize("kind", [*sorted(YOUNG - {"plan"}), "all"])
async def test_nothing_is_lost_or_doubled_and_every_button_stays(kind: str) -> None:
    whole, offered, _ = await in_full()
    lacks = sorted(YOUNG) if kind == "all" else [kind]
    simple, still, chat = await played(*lacks)
    assert len(simple) == len(whole)
    assert still == offered
    assert not any(kinds_of(message) & set(lacks) for message in simple)
    assert 0 < chat.refusals <= 4 * len(lacks), "a refusal is remembered"
    charts = {"minutes", "Before", "and", "after", "UTC"}
    for plain, rich in zip(words(simple), words(whole), strict=True):
        missing = {word for word in rich - plain - charts if POOL not in word}
        assert not missing or kind in {"data_visualization", "all"}, missing


async def test_the_story_uses_every_native_block_that_the_thread_has() -> None:
    whole, _, chat = await in_full()
    assert chat.refusals == 0
    assert {"table", "data_visualization", "container", "context_actions"} <= {
        kind for message in whole for kind in kinds_of(message)
    }
