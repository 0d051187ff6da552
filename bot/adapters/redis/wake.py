"""Waits until a commit makes something due: an event in this process, a subscription for others."""

import asyncio
from collections.abc import Callable
from contextlib import aclosing

import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError

CHANNEL = "{tailback}:wake"
_AGAIN_SECONDS = 1.0
"""Pause before a lost subscription is renewed."""


class RedisWake:
    """One subscription per process, made on first use; none (`listener`) where no other process writes."""

    def __init__(self, listener: Callable[[], Redis] | None, sender: str) -> None:
        self._listener = listener
        self._sender = sender.encode()
        self._event = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def set(self) -> None:
        """This process made something due."""
        self._event.set()

    async def wait(self, timeout_seconds: float) -> bool:
        """True as soon as something became due since the last call; False after the timeout."""
        if self._task is None and self._listener is not None:
            self._task = asyncio.create_task(self._listen(self._listener), name="redis-wake")
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

    async def _listen(self, listener: Callable[[], Redis]) -> None:
        log, lost = structlog.get_logger(), False
        while True:
            try:
                async with aclosing(listener()) as client, client.pubsub() as channel:
                    await channel.subscribe(CHANNEL)
                    lost = False
                    while True:
                        message = await channel.get_message(timeout=5.0)
                        if message is not None and message.get("data") != self._sender:
                            self._event.set()  # also for "subscribed": a message may have been missed until now
            except (RedisError, OSError) as error:
                if not lost:
                    log.warning(
                        "redis subscription lost",
                        problem=str(error),
                        effect="due work is found by polling",
                        repeats=True,
                    )
                lost = True
                await asyncio.sleep(_AGAIN_SECONDS)
