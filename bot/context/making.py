"""Long answers, made in the background of this process and once for all who ask for the same.

Nobody holds a claim or a request meanwhile: who finds an answer unfinished looks again later.
"""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass, field
from typing import TypeVar, cast

KEPT_SECONDS = 60.0
"""How long an answer counts: for others who ask, and until a worker has delivered it."""
T = TypeVar("T")


@dataclass(slots=True)
class Making:
    """What is being made, and what was made lately; both by their question."""

    patience_seconds: float = 1.0
    """How long an answer is waited for: Slack wants one within 3 s."""
    _tasks: dict[Hashable, asyncio.Task[object]] = field(default_factory=dict)
    _made: dict[Hashable, tuple[float, object]] = field(default_factory=dict)
    """(Until when it counts in monotonic seconds, the answer)."""
    _late: set[Hashable] = field(default_factory=set)

    async def get(
        self, question: Hashable, make: Callable[[], Awaitable[T]], now: Callable[[], float], keep_seconds: float = 0.0
    ) -> T | None:
        """The answer; None if it is not ready within the patience, and then it goes on. Raises what `make` raises.

        `keep_seconds`: how long it serves others who ask although nobody had to come back for it.
        """
        self._made = {one: known for one, known in self._made.items() if now() < known[0]}
        if question in self._made:
            return cast("T", self._made[question][1])
        if (task := self._tasks.get(question)) is None:
            task = self._tasks[question] = asyncio.ensure_future(cast("Awaitable[object]", make()))
        await asyncio.wait({task}, timeout=self.patience_seconds)
        if not task.done():
            self._late.add(question)
            return None
        kept = KEPT_SECONDS if question in self._late else keep_seconds
        if self._tasks.pop(question, None) is not None and kept and not task.exception():
            self._made[question] = now() + kept, task.result()
        self._late.discard(question)
        return cast("T", task.result())

    async def close(self) -> None:
        """End what is still being made."""
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
