"""An event loop whose time jumps to the next timer: minutes of waiting cost milliseconds, and runs repeat exactly."""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

from tests.fakes import FakeClock

T = TypeVar("T")
THREAD_SECONDS = 10.0
"""How long, in real time, a thread is waited for that nothing else goes on without."""


class _Jumping(selectors.DefaultSelector):
    """Waits for nothing: the time that it should have waited has passed at once."""

    elapsed = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """What is ready now; raises when everybody waits and nothing will ever happen."""
        found = super().select(0)
        if found or timeout is not None:
            self.elapsed += 0.0 if found else max(0.0, timeout or 0.0)
            return found
        if found := super().select(THREAD_SECONDS):
            return found
        raise RuntimeError("everybody waits for something that cannot happen")


class VirtualLoop(asyncio.SelectorEventLoop):
    """A loop with a time of its own."""

    def __init__(self) -> None:
        self.jumping = _Jumping()
        super().__init__(self.jumping)

    def time(self) -> float:
        return self.jumping.elapsed


class LoopClock(FakeClock):
    """The clock of a World that runs in a virtual loop."""

    def now(self) -> float:
        """Epoch seconds."""
        return super().now() + self._passed()

    def monotonic(self) -> float:
        """Seconds that never jump."""
        return super().monotonic() + self._passed()

    def _passed(self) -> float:
        return asyncio.get_running_loop().time()


def run(story: Coroutine[Any, Any, T]) -> T:
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(story)
