"""The fakes do what they promise to the tests that lean on them; contract tests beside the adapters do the rest."""

import pytest

from bot.core.pool.pool import Snapshot
from bot.ports import Failure, Message, Unreachable
from tests.fakes import FakeChat, FakeClock, FakeMetrics, FakeScaler

HELLO = Message("OPEN")


async def test_a_call_can_fail_before_or_after_its_effect() -> None:
    """The two halves of "the answer was lost"."""
    chat = FakeChat(FakeClock())
    chat.script.fail("post", Failure.UNKNOWN)
    chat.script.fail("post", Failure.UNKNOWN, after=True)
    for stored in (0, 1):
        with pytest.raises(Unreachable):
            await chat.post("C", HELLO, mark="m")
        assert len(chat.messages) == stored
    await chat.post("C", HELLO, mark="m")
    assert chat.script.count("post") == 3


async def test_a_failure_can_wait_repeat_and_heal() -> None:
    """`skip`, `times` and `heal`."""
    scaler = FakeScaler()
    scaler.script.fail("*", Failure.LATER, times=None, skip=1, retry_after_seconds=7)
    await scaler.read()
    for _ in range(3):
        with pytest.raises(Unreachable) as caught:
            await scaler.read()
        assert caught.value.retry_after_seconds == 7
    scaler.script.heal()
    assert (await scaler.read()).current == 10


async def test_a_lost_answer_leaves_the_target_set_once() -> None:
    """What the read-back after a timeout is for."""
    scaler = FakeScaler()
    scaler.script.fail("set", after=True)
    with pytest.raises(Unreachable):
        await scaler.set(24, "act-1")
    await scaler.set(24, "act-1")
    assert (scaler.current, scaler.effects, len(scaler.requests)) == (24, [(24, "act-1")], 2)


async def test_looks_come_in_turn_and_are_stamped_with_the_clock() -> None:
    """The last one stays; a snapshot with a time of its own keeps it."""
    clock = FakeClock(1000.0)
    metrics = FakeMetrics(clock)
    metrics.show("p", {"queued": 14}, Snapshot("p", 7.0), {"queued": 0})
    looks = [await metrics.snapshot("p") for _ in range(4)]
    assert [(look.queued, look.at) for look in looks] == [(14, 1000.0), (None, 7.0), (0, 1000.0), (0, 1000.0)]
    clock.advance(30)
    assert (await metrics.snapshot("p")).at == 1030.0
    with pytest.raises(Unreachable):
        await metrics.snapshot("other")


async def test_a_message_shows_up_in_history_after_the_lag() -> None:
    """The settle time of P2 is about this."""
    clock = FakeClock()
    chat = FakeChat(clock)
    chat.history_lag_seconds = 5.0
    posted = await chat.post("C", HELLO, mark="m")
    assert await chat.find("C", "m", since=clock.now()) is None
    clock.advance(6)
    assert await chat.find("C", "m", since=clock.now() - 10) == posted


def test_the_wall_clock_can_be_wrong_while_time_goes_on() -> None:
    """Waits use the monotonic clock."""
    clock = FakeClock(1000.0)
    clock.skew_seconds = 3600.0
    before = clock.monotonic()
    clock.advance(5)
    assert (clock.now(), clock.monotonic() - before) == (4605.0, 5.0)
