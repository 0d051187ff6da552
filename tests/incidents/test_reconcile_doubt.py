"""A claim that never said how it ended: the next worker looks before it speaks, and nothing is said twice (P2)."""

from collections.abc import Awaitable, Callable

import pytest

from bot.core.record import Claim, Conflict
from bot.ports import Failure, Message, Posted
from bot.posting.send import LOOK_UP_SECONDS
from tests.builders import CHANNEL
from tests.fakes import FakeChat
from tests.world import ANA, World, spoken

READY_SECONDS = 20.0
"""Lease and settle time: so late a message of a dead process can still show up in Slack's history."""


class Dies(Exception):  # noqa: N818 - what happens to the process
    """`kill -9`, in the moment before or after Slack took the message."""


async def measured(world: World) -> Claim:
    """The claim on an incident whose pool is measured."""
    world.queues(14)
    await world.fires()
    await world.tell((await world.claims("pool"))[0])
    (claim,) = await world.claims()
    return claim


async def dying(world: World, *, sent: bool) -> Claim:
    claim = await measured(world)
    world.chat.script.fail("post", after=sent, error=Dies())
    with pytest.raises(Dies):
        await world.tell(claim)
    return claim


@pytest.mark.parametrize("sent", [True, False])
async def test_a_worker_that_dies_while_it_posts_leaves_one_thread(sent: bool, world: World) -> None:
    """The next one waits until Slack's history can be trusted, looks, and posts only what is not there."""
    await dying(world, sent=sent)
    await world.passes(READY_SECONDS - 1, step=1)
    assert world.chat.script.count("find") == 0
    await world.passes(2, step=1)
    assert len(world.chat.parents()) == 1
    assert world.incident.thread.root == world.chat.parents()[0].ts
    assert world.chat.script.count("post") == (1 if sent else 2) + len(world.chat.thread(world.parent.ts))


async def test_a_history_that_lags_makes_no_second_thread(world: World) -> None:
    world.chat.history_lag_seconds = 15
    await dying(world, sent=True)
    await world.passes(40, step=1)
    assert len(world.chat.parents()) == 1


async def test_waiting_for_a_turn_does_not_forget_the_doubt() -> None:
    world = World(slack={"pace": "30s", "storm": 99})
    await dying(world, sent=True)
    for _ in range(4):
        await world.store.acquire_slot(f"post:{CHANNEL}", "others", 30, 3, urgent=False)
    await world.passes(300, step=1)
    assert len(world.chat.parents()) == 1
    assert world.incident.thread.root == world.chat.parents()[0].ts


async def test_an_edit_that_fails_first_does_not_forget_the_doubt_about_a_reply(world: World) -> None:
    """The worker died while it told the thread; the edit that comes first is put off, and the reply is still one."""
    await world.opens()
    await world.fires(spoken("a1"), spoken("b1", host="one"))
    world.chat.script.fail("post", after=True, error=Dies())
    with pytest.raises(Dies):
        await world.work()
    await world.asks("ack", ANA)
    world.chat.script.fail("update", Failure.LATER, retry_after_seconds=40)
    await world.passes(120, step=1)
    assert len(world.replies) == 2
    assert world.incident.log.outbox == ()


async def test_the_second_of_two_messages_after_a_doubt_needs_no_look(world: World) -> None:
    await world.opens()
    await world.fires(spoken("a1"), spoken("b1", host="one"))
    await world.fires(spoken("a1"), spoken("b1", host="one"), spoken("b2", host="two"))
    world.chat.script.fail("post", after=False, error=Dies())
    with pytest.raises(Dies):
        await world.work()
    await world.passes(40, step=1)
    assert len(world.replies) == 2
    assert world.chat.script.count("find") == 1


async def test_a_history_that_cannot_be_read_delays_by_two_minutes_at_most(world: World) -> None:
    await dying(world, sent=False)
    world.chat.script.fail("find", Failure.CREDENTIALS, times=None)
    await world.passes(LOOK_UP_SECONDS - 5, step=5)
    assert world.chat.parents() == []
    assert "find failed" in str(world.incident.trouble.why)
    await world.passes(30, step=5)
    assert len(world.chat.parents()) == 1


async def test_with_no_history_every_new_doubt_waits_anew(world: World) -> None:
    await dying(world, sent=False)
    world.chat.script.fail("find", Failure.CREDENTIALS, times=None)
    world.chat.script.fail("post", Failure.UNKNOWN, times=None)
    await world.passes(300, step=5)
    assert world.chat.script.count("post") == 1 + 2


async def test_a_claim_that_was_lost_writes_nothing(world: World) -> None:
    await world.opens()
    await world.asks("ack", ANA)
    (late,) = await world.claims()
    world.clock.advance(10.1)
    (other,) = await world.claims()
    calls = world.chat.script.count("update")
    with pytest.raises(Conflict, match="lost"):
        await world.tell(late)
    assert world.chat.script.count("update") == calls
    await world.tell(other)
    assert world.parent.edits == 1


async def test_nothing_is_sent_after_the_lease_has_ended(world: World) -> None:
    """The clock is checked right before sending (docs/design/measurements.md#paused-processes)."""
    claim = await measured(world)
    world.clock.advance(9.9)
    await world.tell(claim)
    assert world.chat.script.count("post") == 0


async def test_a_root_that_slack_took_in_while_the_record_was_taken_away_is_adopted(world: World) -> None:
    world.chat = world.context.chat = Slow(world.clock)
    slow = await measured(world)
    world.chat.before_answer = lambda: world.clock.advance(11)
    world.chat.rival = world.claims
    with pytest.raises(Conflict):
        await world.tell(slow)
    await world.passes(60, step=1)
    assert len(world.chat.parents()) == 1
    assert world.incident.thread.root == world.chat.parents()[0].ts


class Slow(FakeChat):
    def __init__(self, clock: object) -> None:
        super().__init__(clock)  # type: ignore[arg-type]  # handed on as it came
        self.before_answer: Callable[[], None] = lambda: None
        self.rival: Callable[[], Awaitable[object]] | None = None

    async def post(
        self, channel: str, message: Message, *, key: str, thread: str | None = None, broadcast: bool = False
    ) -> Posted:
        posted = await super().post(channel, message, key=key, thread=thread, broadcast=broadcast)
        if self.rival is not None:
            rival, self.rival = self.rival, None
            self.before_answer()
            await rival()
        return posted
