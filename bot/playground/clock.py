"""The demo's clock: it starts at the real time, runs faster, and never faster than the machine can follow."""

import asyncio
from collections.abc import Awaitable, Callable

PAUSED = 0.001
"""The rate of a clock that stands still for whoever looks at it; at 0, what waits a moment would never go on."""
TICK_SECONDS = 0.05
SLOWEST = 0.01
"""The share of its rate with which a clock goes on that waits for the product."""
LONGEST_TICK_SECONDS = 0.1
"""Real time that counts between two ticks: while the process gets no processor, its clock stands still, too."""
SLACK_SECONDS, MOST_SECONDS = 30.0, 75.0
"""Simulated seconds by which the product may be late before the clock slows down, and with which it waits."""


class ScaledClock:
    """Implements `bot.ports.Clock`. It goes on as long as `tick` is called, and never jumps."""

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
        """It follows nobody."""

    def run_at(self, rate: float) -> None:
        """Run at another rate from now on; 0 pauses."""
        self.tick(self._share)
        self._rate = max(rate, PAUSED)

    def tick(self, share: float = 1.0) -> None:
        """Go on, at this share of the rate."""
        self._at, self._since, self._share = self.now(), self._monotonic(), share


async def keep_ticking(clock: ScaledClock, late: Callable[[], Awaitable[float]]) -> None:
    """Tick until cancelled. `late` gives the simulated seconds by which the product is behind its own schedule."""
    while True:
        behind = await late()
        clock.tick(min(1.0, max(SLOWEST, (MOST_SECONDS - behind) / (MOST_SECONDS - SLACK_SECONDS))))
        await asyncio.sleep(TICK_SECONDS)
