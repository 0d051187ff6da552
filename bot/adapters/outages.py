"""Logs once when a system stops answering, at most every 5 minutes while it stays away, and when it answers again."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeVar

import structlog

from bot.ports import Failure, Unreachable

REMIND_SECONDS = 300.0
ANSWERED = frozenset({Failure.GONE, Failure.PLACE, Failure.SHAPE, Failure.UNEDITABLE})
"""Failures of one request, by a system that answers."""
REMEDY = "check that it runs, its address, and that this machine can reach it"
T = TypeVar("T")

log = structlog.get_logger()


def loop_seconds() -> float:
    return asyncio.get_running_loop().time()


@dataclass(frozen=True, slots=True)
class Outages:
    """The systems that do not answer this process; one that comes and goes is told of at most every 5 minutes."""

    since: dict[str, float] = field(default_factory=dict)
    """By system: when its outage began, in the clock's seconds."""
    logged_at: dict[str, float] = field(default_factory=dict)
    """By system: when the log last told of an outage."""
    clock: Callable[[], float] = loop_seconds

    async def log_outages(self, system: str, request: Awaitable[T]) -> T:
        """The result of a request to `system`; its problem is raised as it is."""
        try:
            answer = await request
        except Unreachable as error:
            paused = error.failure is Failure.LATER and error.retry_after_seconds is not None
            if error.failure not in ANSWERED and not paused:
                bare = error.failure is Failure.UNCONNECTED and not error.remedy
                self._failed(system, f"{error}; {REMEDY}" if bare else str(error))
            raise
        if system in self.since:
            self._answered(system)
        return answer

    def _failed(self, system: str, why: str) -> None:
        now = self.clock()
        since = self.since.setdefault(system, now)
        if now - self.logged_at.get(system, -REMIND_SECONDS) >= REMIND_SECONDS:
            self.logged_at[system] = now
            log.warning("unreachable", system=system, why=why, for_seconds=round(now - since))

    def _answered(self, system: str) -> None:
        since = self.since.pop(system)
        if self.logged_at[system] >= since:
            log.info("answers again", system=system, after_seconds=round(self.clock() - since))
