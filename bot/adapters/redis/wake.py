"""Waits until a commit makes something due: an event in this process, a subscription for others."""

import asyncio
from collections.abc import Callable

import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError

CHANNEL = "{tailback}:wake"
_AGAIN_SECONDS = 1.0
"""Pause before a lost subscription is renewed."""


class RedisWake:
    """One subscription per process, made on first use."""

    def __init__(self, listener: Callable[[], Redis], sender: str) -> None:
        self._listener = listener
        self._sender = sender.encode()
        self._event = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._lost = False

    def set(self) -> None:
        """This process made something due."""
        self._event.set()

    async def wait(self, timeout_seconds: float) -> bool:
        """True as soon as something became due since the last call; False after the timeout."""
        if self._task is None:
            self._task = asyncio.create_task(self._listen(), name="redis-wake")
        try:
            async with asyncio.timeout(max(0.0, timeout_seconds)):
                await self._event.wait()
        except TimeoutError:
            return False
        self._event.clear()
        return True

    async def aclose(self) -> None:
        """End the subscription; repeated, because the client may swallow the cancellation."""
        while self._task is not None and not self._task.done():
            self._task.cancel()
            await asyncio.wait({self._task}, timeout=_AGAIN_SECONDS)
        self._task = None

    async def _listen(self) -> None:
        log = structlog.get_logger()
        while True:
            try:
                await self._subscribed()
            except (RedisError, OSError) as error:
                if not self._lost:
                    log.warning("redis subscription lost", problem=str(error), effect="due work is found by polling")
                self._lost = True
                await asyncio.sleep(_AGAIN_SECONDS)

    async def _subscribed(self) -> None:
        client = self._listener()
        try:
            async with client.pubsub() as channel:
                await channel.subscribe(CHANNEL)
                self._lost = False
                while True:
                    message = await channel.get_message(timeout=5.0)
                    if message is None or message.get("data") == self._sender:
                        continue
                    self._event.set()  # also for "subscribed": a message may have been missed until now
        finally:
            await client.aclose()
