"""Rate limits as Slack publishes them: one message a second per channel, and tiers of calls per minute."""

import math
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from bot.playground.slack.wire import RateLimited

_TIER_2, _TIER_3, _TIER_4 = 20, 50, 100

PER_MINUTE: Mapping[str, int] = {
    "chat.update": _TIER_3,
    "chat.delete": _TIER_3,
    "chat.postEphemeral": _TIER_4,
    "conversations.info": _TIER_3,
    "conversations.history": _TIER_3,
    "conversations.replies": _TIER_3,
    "usergroups.list": _TIER_2,
    "usergroups.users.list": _TIER_2,
    "users.info": _TIER_4,
    "views.open": _TIER_4,
    "views.update": _TIER_4,
    "views.publish": _TIER_4,
    "apps.connections.open": _TIER_3,
}


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits. `None` in a field turns that limit off; a method missing in `per_minute` has none."""

    channel_per_second: float | None = 1.0
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
            wait = self._posting_wait(self.limits, channel, now_seconds)
        elif method in self.limits.per_minute:
            wait = self._window(method, self.limits.per_minute[method]).wait_seconds(now_seconds)
        if wait > 0:
            raise RateLimited(str(max(1, math.ceil(wait))))

    def _posting_wait(self, limits: Limits, channel: str, now_seconds: float) -> float:
        if limits.channel_per_second is not None:
            bucket = self._channels.get(channel)
            if bucket is None:
                bucket = Bucket(limits.channel_per_second, limits.channel_burst, now_seconds)
                self._channels[channel] = bucket
            wait = bucket.wait_seconds(now_seconds)
            if wait > 0:
                return wait
        return 0.0

    def _window(self, method: str, most: int) -> RateWindow:
        window = self._methods.get(method)
        if window is None:
            window = RateWindow(most)
            self._methods[method] = window
        return window
