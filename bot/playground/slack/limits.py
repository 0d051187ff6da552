"""Rate limits as Slack publishes them: one message a second per channel, and tiers of calls per minute."""

import math
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from bot.playground.slack.wire import RateLimited

PER_MINUTE: Mapping[str, int] = {
    "usergroups.users.list": 20,
    **dict.fromkeys(("chat.update", "apps.connections.open"), 50),
    **dict.fromkeys(("conversations.info", "conversations.history", "conversations.replies"), 50),
    **dict.fromkeys(("chat.postEphemeral", "users.info", "views.open", "views.publish"), 100),
}


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits; a method missing in `per_minute` has none."""

    channel_per_second: float = 1.0
    channel_burst: int = 3
    per_minute: Mapping[str, int] = field(default_factory=lambda: PER_MINUTE)


class Bucket:
    """A token bucket: `burst` at once, then `per_second`."""

    __slots__ = ("_burst", "_per_second", "_seen_seconds", "_tokens")

    def __init__(self, per_second: float, burst: int, now_seconds: float) -> None:
        self._per_second = per_second
        self._burst = float(burst)
        self._tokens = float(burst)
        self._seen_seconds = now_seconds

    def wait_seconds(self, now_seconds: float) -> float:
        """Takes a token and returns 0, or returns the seconds until one is available."""
        elapsed = max(0.0, now_seconds - self._seen_seconds)
        self._tokens = min(self._burst, self._tokens + elapsed * self._per_second)
        self._seen_seconds = now_seconds
        if self._tokens >= 1.0 - 1e-9:
            self._tokens -= 1.0
            return 0.0
        return (1.0 - self._tokens) / self._per_second


class RateWindow:
    """At most `most` calls in any 60 seconds."""

    __slots__ = ("_most", "_times")

    def __init__(self, most: int) -> None:
        self._most = most
        self._times: deque[float] = deque()

    def wait_seconds(self, now_seconds: float) -> float:
        """Counts a call and returns 0, or returns the seconds until one is allowed."""
        while self._times and self._times[0] <= now_seconds - 60.0:
            self._times.popleft()
        if len(self._times) < self._most:
            self._times.append(now_seconds)
            return 0.0
        return self._times[0] + 60.0 - now_seconds


class Meter:
    """Counts the calls of one app in one workspace against `limits`, by the clock that is handed in."""

    def __init__(self, limits: Limits | None, clock: Callable[[], float]) -> None:
        self.limits = limits
        self._clock = clock
        self._channels: dict[str, Bucket] = {}
        self._methods: dict[str, RateWindow] = {}

    def count(self, method: str, channel: str) -> None:
        """Lets a call pass. Raises RateLimited: with whole seconds, at least 1."""
        if self.limits is None:
            return
        wait, now_seconds = 0.0, self._clock()
        if method == "chat.postMessage":
            rate, burst = self.limits.channel_per_second, self.limits.channel_burst
            bucket = self._channels.setdefault(channel, Bucket(rate, burst, now_seconds))
            wait = bucket.wait_seconds(now_seconds)
        elif method in self.limits.per_minute:
            window = self._methods.setdefault(method, RateWindow(self.limits.per_minute[method]))
            wait = window.wait_seconds(now_seconds)
        if wait > 0:
            raise RateLimited(str(max(1, math.ceil(wait))))
