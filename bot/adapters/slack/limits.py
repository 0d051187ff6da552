"""After a 429, pauses the Slack method in every coroutine and process until Retry-After has passed."""

import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bot.adapters.slack.failures import ERRORS, unreachable
from bot.ports import Failure, RateLanes, Unreachable

PER_CHANNEL = frozenset({"chat.postMessage"})
"""Methods that Slack limits per channel; the others are limited for the whole workspace."""


class MethodPauses:
    """Wraps each request to Slack; keeps the pauses in rate lanes, which all processes share."""

    def __init__(self, lanes: RateLanes | None) -> None:
        """Without lanes, nothing is paused."""
        self._lanes = lanes

    @asynccontextmanager
    async def request(self, method: str, channel: object = "", blocks: object = None) -> AsyncIterator[None]:
        """Around one request. Raises Unreachable("Slack", ...): LATER without a request while the method is paused."""
        lane = f"slack:{method}:{channel}" if method in PER_CHANNEL else f"slack:{method}"
        if (wait := await self._paused(lane)) > 0:
            what = f"{method}: paused, because Slack answered 429"
            raise Unreachable("Slack", what, failure=Failure.LATER, retry_after_seconds=wait)
        try:
            yield
        except (Unreachable, *ERRORS) as error:
            problem = error if isinstance(error, Unreachable) else unreachable(error, method, blocks)
            if problem.failure is Failure.LATER and self._lanes is not None:
                with contextlib.suppress(Unreachable):
                    await self._lanes.pause_lane(lane, problem.retry_after_seconds or 1.0)
            raise problem from None

    async def _paused(self, lane: str) -> float:
        """Remaining pause in seconds; 0 if the store is unreachable, because a message is worth a 429."""
        if self._lanes is None:
            return 0.0
        try:
            return await self._lanes.acquire_slot(lane, "", 0.0, 1, urgent=False)
        except Unreachable:
            return 0.0
