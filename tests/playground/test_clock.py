"""The demo's clock: it runs fast, waits for a slow machine, can be paused, and never jumps."""

import asyncio
import math
import random

import pytest

from bot.core.pool.pool import Pool, stale
from bot.core.record import Change, Put, Stored
from bot.playground.clock import LONGEST_TICK_SECONDS, PAUSED, SLOWEST, ScaledClock, keep_ticking
from bot.playground.observer import READING_SECONDS, Observer
from bot.playground.slack.app import SlackStandIn
from bot.playground.slack.page_api.modals import OpenView
from tests.builders import POOL, sample
from tests.fakes import FakeClock
from tests.fakes_store import FakeStore

BEGAN = 1_800_000_000.0


@pytest.fixture
def machine() -> FakeClock:
    return FakeClock(BEGAN)


@pytest.fixture
def clock(machine: FakeClock) -> ScaledClock:
    """A second is a minute."""
    return ScaledClock(60, machine.now, machine.monotonic)


def passed(clock: ScaledClock, machine: FakeClock, seconds: float) -> float:
    """What the clock says to so many real seconds with a tick every 50 ms."""
    before = clock.now()
    for _ in range(round(seconds / 0.05)):
        machine.advance(0.05)
        clock.tick()
    return clock.now() - before


def test_a_second_is_a_minute(machine: FakeClock, clock: ScaledClock) -> None:
    """It starts at the real time and runs at its rate from there; `ahead` is what it has gained."""
    assert clock.now() == BEGAN
    assert passed(clock, machine, 2) == pytest.approx(120)
    assert clock.ahead() == pytest.approx(118)


def test_another_rate_counts_from_now_on(machine: FakeClock, clock: ScaledClock) -> None:
    passed(clock, machine, 1)
    clock.run_at(10)
    assert passed(clock, machine, 1) == pytest.approx(10)
    assert clock.rate() == 10
    assert clock.now() == pytest.approx(BEGAN + 70)


def test_a_pause_hardly_moves(machine: FakeClock, clock: ScaledClock) -> None:
    """Not even a second in a quarter of an hour, but what waits for a moment to pass is not stuck."""
    clock.run_at(0)
    assert clock.rate() == PAUSED
    assert 0 < passed(clock, machine, 900) < 1


def test_it_stands_still_while_the_process_gets_no_processor(machine: FakeClock, clock: ScaledClock) -> None:
    """What a machine could not simulate has not happened: ten seconds without a tick are not ten minutes."""
    clock.tick()
    machine.advance(10)
    assert clock.now() == pytest.approx(BEGAN + LONGEST_TICK_SECONDS * 60)


@pytest.mark.parametrize("rate", [60, 600])
@pytest.mark.parametrize("measuring", [0.2, 2.0, 30.0])
async def test_figures_stay_fresh_however_long_the_product_takes(rate: float, measuring: float) -> None:
    """The clock waits for each measurement (real seconds), and also while the loop gets no processor for seconds."""
    machine = FakeClock(BEGAN)
    clock = ScaledClock(rate, machine.now, machine.monotonic)
    store = FakeStore(clock.now, machine.monotonic)
    seen = Observer(store, SlackStandIn(clock=clock.now), [POOL], 60.0)
    await store.commit(Change(join=(("open", "inc1"), (f"watch:{POOL}", "inc1"))))
    asked_at, dice, pool, measured = clock.now(), random.Random(4), Pool(POOL), 0
    answered = machine.monotonic() + measuring
    end = machine.monotonic() + 20 * measuring
    while machine.monotonic() < end:
        clock.tick(await seen.limit())
        machine.advance(dice.choice((0.1, 0.1, 0.3, 5.0)))
        assert pool.latest is None or not stale(pool, clock.now(), 60.0)
        if machine.monotonic() >= answered:
            held = await store.get(Pool, POOL)
            pool, measured = Pool(POOL, (sample(14, at=asked_at),), watchers=("inc1",), tried_at=asked_at), measured + 1
            await store.commit(Change(puts=(Put(held or Stored(pool, 0), pool, None),)))
        if clock.now() >= asked_at + 60 and machine.monotonic() >= answered:
            asked_at, answered = clock.now(), machine.monotonic() + measuring
    assert measured > 2


async def test_it_reaches_the_next_measurement_after_a_source_that_answered_late(
    machine: FakeClock, clock: ScaledClock
) -> None:
    """The last attempt gave figures from long before; waiting for newer ones here would be waiting for ever."""
    store = FakeStore(clock.now, machine.monotonic)
    seen = Observer(store, SlackStandIn(clock=clock.now), [POOL], 60.0)
    pool = Pool(POOL, (sample(14, at=BEGAN - 300),), watchers=("inc1",), tried_at=BEGAN)
    await store.commit(Change(join=(("open", "inc1"),), puts=(Put(Stored(pool, 0), pool, None),)))
    for _ in range(40):
        clock.tick(await seen.limit())
        machine.advance(0.1)
    assert BEGAN + 60 <= clock.now() < BEGAN + 63


@pytest.mark.parametrize("dialog", [False, True], ids=["answer", "dialog"])
async def test_it_waits_while_somebody_waits_for_an_answer_or_reads_a_dialog(
    machine: FakeClock, clock: ScaledClock, dialog: bool
) -> None:
    """A click gets the processor, and what a dialog proposes stays possible; afterwards the time goes on."""
    slack = SlackStandIn(clock=clock.now)
    seen = Observer(FakeStore(clock.now, machine.monotonic), slack, [POOL], 60.0)
    modals = slack.workspace.views.modals
    if dialog:
        modals["V1"] = OpenView("V1", "U1", {}, "h")
    else:
        slack.delivery.under_way = 1
    ticking = asyncio.create_task(keep_ticking(clock, seen.limit))
    await asyncio.sleep(0)
    machine.advance(0.05)
    assert clock.now() - BEGAN == pytest.approx(0.05 * SLOWEST, abs=1e-4)
    ticking.cancel()
    slack.delivery.under_way = 0
    modals.clear()
    clock.tick(await seen.limit())
    machine.advance(0.05)
    assert clock.now() - BEGAN == pytest.approx(0.05 * (60 + SLOWEST), abs=1e-4)


async def test_a_dialog_that_was_left_open_holds_nothing_up_for_ever() -> None:
    machine = FakeClock(BEGAN)
    slack = SlackStandIn(clock=machine.now)
    seen = Observer(FakeStore(machine.now, machine.monotonic), slack, [POOL], 60.0)
    slack.workspace.views.modals["V1"] = OpenView("V1", "U1", {}, "h")
    assert await seen.limit() == -math.inf
    seen.dialogs["V1"] -= READING_SECONDS
    assert await seen.limit() == math.inf
