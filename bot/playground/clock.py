"""The demo's clock: it starts at the real time, runs faster, and waits for the product when the machine is slow."""

import asyncio
import math
from collections.abc import Awaitable, Callable

PAUSED = 0.001
"""The rate of a paused clock; at 0, waiting code would never continue."""
TICK_SECONDS = 0.1
SLOWEST = 0.1
"""The rate while the clock waits for the product, for the same reason."""
LONGEST_TICK_SECONDS = 0.2
"""Longest real time counted between two ticks; a process without CPU time does not advance the clock."""


class ScaledClock:
    """Implements `bot.ports.Clock`; advances only by `tick`, and never jumps."""

    def __init__(self, rate: float, real: Callable[[], float], monotonic: Callable[[], float]) -> None:
        """`real` gives epoch seconds of this machine, `monotonic` seconds that never jump."""
        self._rate, self._real, self._monotonic = rate, real, monotonic
        self._at, self._since, self._limit = real(), monotonic(), math.inf

    def now(self) -> float:
        """Simulated epoch seconds."""
        passed = min(self._monotonic() - self._since, LONGEST_TICK_SECONDS)
        return self._at + min(passed * self._rate, max(self._limit - self._at, passed * SLOWEST))

    def rate(self) -> float:
        """Simulated seconds in one real second, unless the machine is too slow for it."""
        return self._rate

    def ahead(self) -> float:
        """Seconds by which it is ahead of this machine, whose clock the embedded Redis shares."""
        return self.now() - self._real()

    def follow(self, epoch_seconds: float) -> None:
        """Does nothing: this clock follows no other."""

    def run_at(self, rate: float) -> None:
        """Run at another rate from now on; 0 pauses."""
        self.tick(self._limit)
        self._rate = max(rate, PAUSED)

    def tick(self, limit: float = math.inf) -> None:
        """Advance; until the next tick, go no further than to `limit` (epoch seconds), or creep if it is past."""
        self._at, self._since, self._limit = self.now(), self._monotonic(), limit


async def keep_ticking(clock: ScaledClock, limit: Callable[[], Awaitable[float]]) -> None:
    """Tick until cancelled; `limit` gives the simulated time up to which the product has done its work."""
    while True:
        clock.tick(await limit())
        await asyncio.sleep(TICK_SECONDS)
