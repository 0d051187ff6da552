"""An event loop on simulated time: waiting takes no time, so an hour of slow answers is a second of test."""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class _Selector(selectors.SelectSelector):
    """Reports what is ready, and lets simulated time pass instead of waiting."""

    ahead = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        found = super().select(0)
        if not found and timeout:
            self.ahead += timeout
        return found


class SimulatedLoop(asyncio.SelectorEventLoop):
    """Its time is that of its own waits."""

    def __init__(self) -> None:
        self.selector = _Selector()
        super().__init__(self.selector)

    def time(self) -> float:
        """Seconds since the loop was made."""
        return self.selector.ahead


def run_simulated(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine on simulated time; nothing in it may wait for the outside."""
    with asyncio.Runner(loop_factory=SimulatedLoop) as runner:
        return runner.run(work)
