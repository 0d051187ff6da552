"""Delays repeated wrong credentials, and limits concurrent deliveries per source (C10)."""

import asyncio
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

from handlers.http import metrics
from handlers.http.refusals import Refusals

FREE_A_MINUTE = 30
"""Wrong attempts of one address per minute that are answered at once."""
PAUSE_SECONDS = 1.0
MOST_WAITING = 64
"""Responses delayed at the same time; further ones go out at once, to bound memory."""
MOST_ADDRESSES = 1000
MOST_IN_HAND = 256
"""Deliveries of one source that are stored at the same time; further ones get 503 at once.

This is far more than Redis needs to be busy, and leaves room for other sources.
"""


class Throttle:
    """Counts wrong attempts per address in the last minute, and concurrent deliveries per source; one per process."""

    def __init__(
        self, monotonic: Callable[[], float], sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    ) -> None:
        self._monotonic = monotonic
        self._sleep = sleep
        self._attempts: dict[str, deque[float]] = {}
        self._waiting = 0
        self._in_hand: Counter[str] = Counter()
        self.refusals = Refusals()

    @contextmanager
    def room(self, source: str) -> Iterator[bool]:
        """Whether another delivery of this source may be stored now; holds its slot until done."""
        free = self._in_hand[source] < MOST_IN_HAND
        self._in_hand[source] += free
        try:
            yield free
        finally:
            self._in_hand[source] -= free

    async def wrong(self, address: str, endpoint: str, why: str) -> None:
        """Log and count wrong credentials, and wait if there were too many; `why` is one of few fixed words."""
        self.refusals.log("request refused", address, endpoint=endpoint, why=why)
        metrics.CREDENTIALS_REFUSED.labels(endpoint, why).inc()
        now = self._monotonic()
        attempts = self._attempts.pop(address, deque(maxlen=FREE_A_MINUTE + 1))
        while attempts and now - attempts[0] > 60:
            attempts.popleft()
        attempts.append(now)
        self._attempts[address] = attempts
        if len(self._attempts) > MOST_ADDRESSES:
            del self._attempts[next(iter(self._attempts))]
        if len(attempts) <= FREE_A_MINUTE or self._waiting >= MOST_WAITING:
            return
        self._waiting += 1
        try:
            await self._sleep(PAUSE_SECONDS)
        finally:
            self._waiting -= 1
