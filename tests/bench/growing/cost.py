"""What some work costs: CPU, Redis, calls, and the longest time in which nothing else of the process could run."""

import asyncio
import math
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from typing import Any

import redis


@dataclass
class Cost:
    """The sums of a measurement; each is zero where nothing of the kind was counted."""

    cpu: float = 0.0
    """Seconds of CPU of this process, without the stand-ins."""
    kb: float = 0.0
    """What Redis sent, in thousands of bytes."""
    commands: float = 0.0
    """Commands that Redis ran, those of its scripts too."""
    calls: float = 0.0
    """Calls of a metrics source."""
    stop: float = 0.0
    """Milliseconds of CPU of the longest turn of the event loop: nothing that comes in is served meanwhile."""
    more: dict[str, float] = field(default_factory=dict)
    """Further figures by name."""

    def figures(self) -> Mapping[str, float]:
        """All of them by name."""
        own = {one.name: float(getattr(self, one.name)) for one in fields(self) if one.name != "more"}
        return {**own, **self.more}


class Stops:
    """The CPU between two looks of the running loop for what comes from outside: all that is ready runs in between."""

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self.longest, self._since = 0.0, time.thread_time()
        self._selector: Any = loop._selector  # type: ignore[attr-defined]  # the loop has no hook for it
        self._plain = self._selector.select
        self._selector.select = self._select

    def _select(self, timeout: float | None = None) -> object:
        self.longest = max(self.longest, time.thread_time() - self._since)
        found = self._plain(timeout)
        self._since = time.thread_time()
        return found

    def over(self) -> float:
        """The longest one, in seconds, with the one of now."""
        del self._selector.select
        return max(self.longest, time.thread_time() - self._since)


@contextmanager
def counted(
    url: str, calls: Callable[[], float] = lambda: 0.0, elsewhere: Callable[[], float] = lambda: 0.0
) -> Iterator[Cost]:
    """The cost of the block; `elsewhere` gives the CPU of the stand-ins in this process."""
    client = redis.Redis.from_url(url)
    found = Cost()
    before, sent, ran = calls(), *_redis(client)
    stops, begun, others = Stops(), time.process_time(), elsewhere()
    try:
        yield found
    finally:
        found.cpu = time.process_time() - begun - (elsewhere() - others)
        found.stop = stops.over() * 1000
        sent_now, ran_now = _redis(client)
        found.kb, found.commands, found.calls = (sent_now - sent) / 1000, ran_now - ran, calls() - before
        client.close()


def _redis(client: redis.Redis) -> tuple[float, float]:
    """(bytes sent, commands run) so far."""
    told = client.info("everything")
    ran = sum(one["calls"] for name, one in told.items() if name.startswith("cmdstat_") and name != "cmdstat_info")
    return float(told["total_net_output_bytes"]), float(ran)


def exponent(small: float, large: float, times: float) -> float | None:
    """By which power a figure grows, when its cause grows so many times; None where it was next to nothing."""
    return math.log(large / small) / math.log(times) if small > 0 and large > 0 and times > 1 else None
