"""The demo's clock: it runs fast, waits for a slow machine, can be paused, and never jumps."""

import asyncio
import math
from dataclasses import dataclass

import pytest

from bot.playground.clock import LONGEST_TICK_SECONDS, PAUSED, SLOWEST, ScaledClock, keep_ticking

BEGAN = 1_800_000_000.0


@dataclass
class Machine:
    """Real time that a test moves."""

    seconds: float = 0.0

    def real(self) -> float:
        """Epoch seconds."""
        return BEGAN + self.seconds

    def monotonic(self) -> float:
        """Seconds that never jump."""
        return self.seconds


def passed(clock: ScaledClock, machine: Machine, seconds: float, share: float = 1.0) -> float:
    """What the clock says to so many real seconds with a tick every 50 ms."""
    before = clock.now()
    for _ in range(round(seconds / 0.05)):
        machine.seconds += 0.05
        clock.tick(share)
    return clock.now() - before


def test_a_second_is_a_minute() -> None:
    """It starts at the real time and runs at its rate from there; `ahead` is what it has gained."""
    machine = Machine()
    clock = ScaledClock(60, machine.real, machine.monotonic)
    assert clock.now() == BEGAN
    assert passed(clock, machine, 2) == pytest.approx(120)
    assert clock.ahead() == pytest.approx(118)


def test_another_rate_counts_from_now_on() -> None:
    """The time that has passed stays as it is."""
    machine = Machine()
    clock = ScaledClock(60, machine.real, machine.monotonic)
    passed(clock, machine, 1)
    clock.run_at(10)
    assert passed(clock, machine, 1) == pytest.approx(10)
    assert clock.rate() == 10
    assert clock.now() == pytest.approx(BEGAN + 70)


def test_a_pause_hardly_moves() -> None:
    """Not even a second in a quarter of an hour, but what waits for a moment to pass is not stuck."""
    machine = Machine()
    clock = ScaledClock(60, machine.real, machine.monotonic)
    clock.run_at(0)
    assert clock.rate() == PAUSED
    assert 0 < passed(clock, machine, 900) < 1


def test_it_stands_still_while_the_process_gets_no_processor() -> None:
    """What a machine could not simulate has not happened: ten seconds without a tick are not ten minutes."""
    machine = Machine()
    clock = ScaledClock(60, machine.real, machine.monotonic)
    clock.tick()
    machine.seconds += 10
    assert clock.now() == pytest.approx(BEGAN + LONGEST_TICK_SECONDS * 60)


@pytest.mark.parametrize(
    ("late_seconds", "share"), [(-60, 1), (30, 1), (52.5, 0.5), (80, SLOWEST), (math.inf, SLOWEST)]
)
async def test_it_slows_down_while_the_product_is_late(late_seconds: float, share: float) -> None:
    """Up to half a minute is nothing; from there on it gives the product the time it needs."""
    machine = Machine()
    clock = ScaledClock(60, machine.real, machine.monotonic)

    async def late() -> float:
        return late_seconds

    ticking = asyncio.create_task(keep_ticking(clock, late))
    await asyncio.sleep(0)
    machine.seconds += 0.05
    assert clock.now() - BEGAN == pytest.approx(0.05 * 60 * share)
    ticking.cancel()
