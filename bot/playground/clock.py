"""The demo's clock: it starts at the real time, runs faster, and never faster than the machine can follow."""

import asyncio
from collections.abc import Awaitable, Callable

PAUSED = 0.001
"""The rate of a paused clock; at 0, waiting code would never continue."""
TICK_SECONDS = 0.05
SLOWEST = 0.01
"""Share of the rate while the clock waits for the product."""
LONGEST_TICK_SECONDS = 0.1
"""Longest real time counted between two ticks; a process without CPU time does not advance the clock."""
SLACK_SECONDS, MOST_SECONDS = 30.0, 75.0
"""Simulated delay of the product at which the clock slows down, and at which it waits."""


class ScaledClock:
    """Implements `bot.ports.Clock`; advances only by `tick`, and never jumps."""

    def __init__(self, rate: float, real: Callable[[], float], monotonic: Callable[[], float]) -> None:
        """`real` gives epoch seconds of this machine, `monotonic` seconds that never jump."""
        self._rate, self._real, self._monotonic = rate, real, monotonic
        self._at, self._since, self._share = real(), monotonic(), 1.0

    def now(self) -> float:
        """Simulated epoch seconds."""
        return self._at + min(self._monotonic() - self._since, LONGEST_TICK_SECONDS) * self._rate * self._share

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
        self.tick(self._share)
        self._rate = max(rate, PAUSED)

    def tick(self, share: float = 1.0) -> None:
        """Advance, at this share of the rate."""
        self._at, self._since, self._share = self.now(), self._monotonic(), share


async def keep_ticking(clock: ScaledClock, late: Callable[[], Awaitable[float]]) -> None:
    """Tick until cancelled; `late` gives the product's delay in simulated seconds."""
    while True:
        behind = await late()
        clock.tick(min(1.0, max(SLOWEST, (MOST_SECONDS - behind) / (MOST_SECONDS - SLACK_SECONDS))))
        await asyncio.sleep(TICK_SECONDS)
