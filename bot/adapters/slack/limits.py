"""After a 429, pauses the Slack method in every coroutine and process until Retry-After has passed."""

import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bot.adapters.slack.failures import ERRORS, unreachable
from bot.ports import EDIT_LANE, Failure, RateLanes, Unreachable, post_lane


class MethodPauses:
    """Wraps each request to Slack; keeps the pauses in rate lanes, which all processes share."""

    def __init__(self, lanes: RateLanes | None, *, asked: bool = False) -> None:
        """Without lanes, nothing is paused. `asked`: callers have a slot of the lane, which no pause grants."""
        self._lanes, self._asked = lanes, asked

    @asynccontextmanager
    async def request(self, method: str, channel: object = "", blocks: object = None) -> AsyncIterator[None]:
        """Around one request. Raises Unreachable("Slack", ...): LATER without a request while the method is paused."""
        lane = {"chat.postMessage": post_lane(str(channel)), "chat.update": EDIT_LANE}.get(method, f"slack:{method}")
        if (wait := 0.0 if self._asked else await self._paused(lane)) > 0:
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
